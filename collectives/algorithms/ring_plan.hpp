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

/// The rings of a group. On several nodes there is one ring per NIC, and every ring visits each
/// node once. On a single node they are the rings of node_rings(). The orders of equal nodes are
/// stored as blocks, others as explicit lists.
[[nodiscard]] std::vector<RingPlan> plan_rings(const Request& request);
/// Empty if ScheduleOptions::cross_nic can be satisfied; else the reason.
[[nodiscard]] std::string why_not_cross_nic(const Request& request);

}  // namespace railyard::collectives
