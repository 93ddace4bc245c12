#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/rank_order.hpp"
#include "collectives/algorithms/ring_via.hpp"

namespace railyard::collectives {

/// The order of one ring over a group, and how its hops cross nodes.
struct RingPlan {
  RankOrder order;
  std::shared_ptr<const RingVia> via;  ///< null on one node
};

/// The rings of a group: one per NIC between nodes, those of node_rings() on one node. Every ring
/// crosses each node once. Equal nodes are stored as blocks, others written out.
[[nodiscard]] std::vector<RingPlan> plan_rings(const Request& request);
/// Empty if ScheduleOptions::cross_nic can be had, else why not.
[[nodiscard]] std::string why_not_cross_nic(const Request& request);

}  // namespace railyard::collectives
