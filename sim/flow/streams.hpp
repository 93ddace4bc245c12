#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/flow/loop_body.hpp"
#include "sim/flow/stage.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "sim/wire.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// The body of a coupled stage with the path of each of its transfers.
struct RoutedBody {
  LoopBody body;
  std::vector<topology::Hop> hops;
  std::vector<std::size_t> hop_end;  ///< index of the end of each transfer's hops

  [[nodiscard]] std::span<const topology::Hop> route(std::size_t transfer) const {
    const std::size_t begin = transfer == 0 ? 0 : hop_end[transfer - 1];
    return std::span(hops).subspan(begin, hop_end[transfer] - begin);
  }
};

[[nodiscard]] RoutedBody route_body(const collectives::Schedule& schedule, std::size_t channel,
                                    const Stage& stage, std::uint32_t label,
                                    TransferRoutes& routes);

/// The stream of one coupled stage. Hop weights are wire bytes on the link per reference byte, so
/// weight × bytes is exactly what the schedule sends over the link.
struct SteadyStream {
  std::vector<topology::Hop> hops;
  double bytes = 0;  ///< payload of the largest transfer
};

/// Sums amounts by link in a flat array, which is reused for all streams.
class LinkSums {
 public:
  explicit LinkSums(std::size_t links) : sums_(links, 0.0) {}
  void add(LinkId link, double amount) {
    double& sum = sums_[link.index()];
    if (sum == 0.0) touched_.push_back(link);
    sum += amount;
  }
  [[nodiscard]] double operator[](LinkId link) const { return sums_[link.index()]; }
  /// Links with an amount, in the order of their first use.
  [[nodiscard]] std::span<const LinkId> links() const { return touched_; }
  void clear();

 private:
  std::vector<double> sums_;
  std::vector<LinkId> touched_;
};

/// Requires empty sums; leaves them empty.
[[nodiscard]] SteadyStream steady_stream(const RoutedBody& routed, const topology::Cluster& cluster,
                                         const WireFactors& wire, LinkSums& sums);

/// Turns shares of payload into shares of wire bytes, in place.
void weigh(std::span<topology::Hop> hops, const topology::Cluster& cluster,
           const WireFactors& wire);

}  // namespace railyard::sim
