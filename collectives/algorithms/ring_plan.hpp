#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/rank_order.hpp"
#include "collectives/algorithms/ring_via.hpp"

namespace railyard::collectives {

/// The order of one ring over a group, and the NICs and relays of its hops between nodes.
struct RingPlan {
  RankOrder order;
  std::shared_ptr<const RingVia> via;  ///< null on a single node
};

/// The rings of a group: between nodes one ring per NIC, on a single node those of node_rings().
/// Every ring crosses each node once. The orders of equal nodes are stored as blocks, others as
/// explicit lists.
[[nodiscard]] std::vector<RingPlan> plan_rings(const Request& request);
/// Empty if ScheduleOptions::cross_nic can be satisfied; else the reason.
[[nodiscard]] std::string why_not_cross_nic(const Request& request);

}  // namespace railyard::collectives
