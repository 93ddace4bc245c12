#pragma once

#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "placement/serving/planner/pool_layout.hpp"
#include "placement/serving/service/transfer_network.hpp"
#include "sim/maxmin/fluid.hpp"
#include "sim/wire.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/router.hpp"

namespace railyard::apps {

/// KV caches that share the links of a cluster max-min fairly (sim::Fluid), each with a stream per
/// part (cache_parts), routed as the cluster's file says. A cache arrives when its last part is
/// through, and layout.start later.
class FabricTransfers final : public placement::serving::TransferNetwork {
 public:
  /// The cluster must outlive it.
  FabricTransfers(const topology::Cluster& cluster, placement::serving::PoolLayout layout);
  /// Throws InputError where the fabric has no path.
  void send(double now, const placement::serving::CacheTransfer& transfer) override;
  double advance(double until, std::vector<placement::serving::CacheTransfer>& arrived) override;

 private:
  struct OnItsWay {
    placement::serving::CacheTransfer transfer{};
    std::size_t parts = 0;  ///< that are not through
  };
  /// A cache all of whose parts are through; by arrival, then in the order in which they left.
  using Through = std::pair<double, std::size_t>;

  const std::vector<topology::Hop>& path(std::uint32_t from, std::uint32_t to);
  void end_streams(std::span<const sim::StreamId> streams);

  const topology::Cluster& cluster_;
  placement::serving::PoolLayout layout_;
  topology::Router router_;
  sim::WireFactors wire_;
  sim::Fluid fluid_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<topology::Hop>> paths_{};
  std::vector<OnItsWay> caches_{};  ///< in the order in which they left
  std::vector<std::size_t> cache_of_stream_{};
  std::priority_queue<Through, std::vector<Through>, std::greater<>> through_{};
};

}  // namespace railyard::apps
