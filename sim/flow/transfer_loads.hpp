#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "core/id.hpp"
#include "core/units.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/hop.hpp"
#include "topology/routing/leaf_router.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim {

/// The transfers of a step of an all-to-all in rounds. In each round every rank sends once.
struct Rounds {
  const collectives::Step* step = nullptr;
  std::uint64_t ranks = 0, count = 0;
  /// Consecutive transfers over the same connection; all but the first are equal to it.
  std::uint64_t alike = 1;
  bool by_rank = false;  ///< the step lists rank by rank instead of round by round
  [[nodiscard]] collectives::Transfer at(std::uint64_t round, std::uint64_t rank) const {
    return step->at((by_rank ? rank * count + round : round * ranks + rank) * alike, 0);
  }
  /// Calls take(transfer) for the transfers of the rounds `numbers`, in the order of the step, and
  /// before(finished share) from time to time.
  template <class Before, class Take>
  void visit(std::span<const std::uint64_t> numbers, Before&& before, Take&& take) const {
    const std::uint64_t outer = by_rank ? ranks : numbers.size();
    const std::uint64_t inner = by_rank ? numbers.size() : ranks;
    for (std::uint64_t i = 0; i < outer; ++i) {
      before(static_cast<double>(i) / static_cast<double>(outer));
      for (std::uint64_t k = 0; k < inner; ++k)
        take(by_rank ? at(numbers[k], i) : at(numbers[i], k));
    }
  }
};
/// Empty for a step with another pattern.
[[nodiscard]] std::optional<Rounds> rounds_of(const collectives::Step& step);
/// Numbers of rounds with about `most` transfers to different peers, evenly spaced; all rounds if
/// they have at most that many.
[[nodiscard]] std::vector<std::uint64_t> sampled_rounds(const Rounds& rounds, std::uint64_t most);

/// Loads that the transfers of a step of an all-to-all put on links, as counts: all transfers carry
/// the same bytes, so one number per link is enough.
struct TransferLoads {
  Bytes bytes;                  ///< of each transfer
  std::uint64_t transfers = 0;  ///< of the step
  std::uint64_t counted = 0;    ///< fewer than `transfers` if they were sampled
  /// By link: transfers that cross it, each counted with its share.
  std::vector<double> crossings;

  /// Transfers over the same hops inside a node and to or from its leaf: one of them, and their
  /// number.
  struct Leg {
    collectives::Transfer transfer;
    std::vector<topology::Hop> hops;
    double count = 0;
  };
  std::vector<Leg> legs;  ///< empty if each transfer was routed (routed_loads)
};

struct LoadSetting {
  const topology::Cluster& cluster;
  topology::RoutingOptions routing = {};
  topology::Faults faults = {};
  int threads = 1;  ///< the result does not depend on it
  /// Above this number of transfers, some rounds are counted and scaled up.
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  /// Called with the counted share of the transfers; false ends the count with Stopped.
  std::function<bool(double share)> watch = {};
  /// Balanced and adaptive: the router with the earlier choices; null: none.
  topology::LeafRouter* router = nullptr;
};

/// Counts the transfers of a step. On fabrics that topology::LeafRouter supports, a transfer costs
/// a few counters and its hashes. If all traffic is sprayed it costs nothing, because transfers are
/// counted by pairs of leaves. Balanced and adaptive paths are chosen in the order of the step.
/// Hops inside nodes are computed once per GPU and NIC. Empty if this is not possible: not a
/// pairwise all-to-all, several ports per NIC or NICs per GPU, faults, or a relay that does not
/// send by its nearest NIC.
///
/// A sample consists of whole rounds. In each round every rank sends and receives once, so nodes
/// and ports are loaded as by all rounds. Links between switches are scaled up by SpreadSample.
[[nodiscard]] std::optional<TransferLoads> transfer_loads(const LoadSetting& setting,
                                                          const collectives::Schedule& schedule,
                                                          std::size_t channel,
                                                          const collectives::Step& step,
                                                          std::uint32_t label);

/// A routed transfer: its hops, and the number of transfers that it represents.
using VisitRouted = std::function<void(const collectives::Transfer& transfer,
                                       std::span<const topology::Hop> hops, double count)>;

/// The same on any fabric, with any ports, NICs, faults and relays. Every transfer is routed by
/// `routes`, which takes about a microsecond (balanced: 20). Only the paths of connections under
/// balanced and adaptive routing are stored. Empty if it is not a pairwise all-to-all. Of the
/// setting, it uses `most` and `watch`.
[[nodiscard]] std::optional<TransferLoads> routed_loads(
    const LoadSetting& setting, TransferRoutes& routes, const collectives::Schedule& schedule,
    std::size_t channel, const collectives::Step& step, std::uint32_t label,
    const VisitRouted& visit = {});

}  // namespace railyard::sim
