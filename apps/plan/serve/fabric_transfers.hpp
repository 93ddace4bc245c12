#pragma once

#include <cstddef>
#include <vector>

#include "placement/serving/planner/pool_layout.hpp"
#include "placement/serving/service/transfer_network.hpp"
#include "sim/flow/message_transfers.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Sends KV caches as messages of the flow simulation (sim::MessageTransfers), one part per pair of
/// GPUs (cache_parts). It connects the service in placement with the links in sim.
class FabricTransfers final : public placement::serving::TransferNetwork {
 public:
  /// The cluster must outlive it.
  FabricTransfers(const topology::Cluster& cluster, placement::serving::PoolLayout layout);
  /// Throws InputError if the fabric has no path.
  void send(double now, const placement::serving::CacheTransfer& transfer) override;
  double advance(double until, std::vector<placement::serving::CacheTransfer>& arrived) override;

 private:
  placement::serving::PoolLayout layout_;
  sim::MessageTransfers messages_;
  std::vector<placement::serving::CacheTransfer> caches_{};  ///< by number of the message
};

}  // namespace railyard::apps
