#pragma once

#include <cstddef>
#include <vector>

#include "placement/serving/planner/pool_layout.hpp"
#include "placement/serving/service/transfer_network.hpp"
#include "sim/flow/message_transfers.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// KV caches as messages of the flow simulation (sim::MessageTransfers), with a part per pair of
/// GPUs (cache_parts): placement has the service, sim the links.
class FabricTransfers final : public placement::serving::TransferNetwork {
 public:
  /// The cluster must outlive it.
  FabricTransfers(const topology::Cluster& cluster, placement::serving::PoolLayout layout);
  /// Throws InputError where the fabric has no path.
  void send(double now, const placement::serving::CacheTransfer& transfer) override;
  double advance(double until, std::vector<placement::serving::CacheTransfer>& arrived) override;

 private:
  placement::serving::PoolLayout layout_;
  sim::MessageTransfers messages_;
  std::vector<placement::serving::CacheTransfer> caches_{};  ///< by message
};

}  // namespace railyard::apps
