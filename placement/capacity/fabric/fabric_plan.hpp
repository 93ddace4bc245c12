#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "placement/capacity/fabric/bill.hpp"
#include "placement/capacity/fabric/fabric_times.hpp"
#include "placement/capacity/price_list.hpp"
#include "placement/model/job.hpp"
#include "topology/fabric/fabric_design.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::placement {

/// What a choice of fabric is asked for.
struct FabricPlanRequest {
  topology::NodeSpec node{};
  int gpus = 0;
  std::vector<topology::FabricKind> kinds{};
  /// Capacity down over capacity up of the tier below the top one.
  std::vector<double> oversubscriptions{1.0};
  topology::SwitchModel model{};  ///< of all tiers
  std::string switch_item{};      ///< its item in the price list
  topology::Transport transport = topology::Transport::infiniband;
  std::optional<topology::RoutingPolicy> routing{};  ///< nothing: the transport's default
  std::uint64_t seed = 1;
  RoomLayout room{};
  PriceList prices{};
  double gpu_price = 0;                ///< of a GPU and its share of a node, without NICs
  std::optional<Job> job{};            ///< whose step is timed
  std::optional<Strategy> strategy{};  ///< nothing: the best by formula on the first fabric
  Bytes all_reduce_bytes{};
  EngineFactory engines{};
};

/// One fabric of the comparison.
struct FabricOption {
  topology::FabricKind kind{};
  double oversubscription = 1;
  std::optional<topology::FabricDesign> design{};  ///< nothing: it cannot be built
  int most_nodes = 0;                              ///< where it cannot be built
  std::vector<BillLine> bill{};
  BillTotal total{};
  Bandwidth bisection{};
  /// Switches between GPUs of different nodes, the most; nothing without a path in the fabric.
  std::optional<int> same_rail_switches{}, cross_rail_switches{};
  FabricTimes times{};
  /// (GPUs + network) x step, in the currency times seconds; nothing without a step.
  std::optional<double> cost_of_step{};
};

/// A comparison of fabrics.
struct FabricPlan {
  int nodes = 0, gpus = 0;
  std::vector<FabricOption> options{};  ///< by kind, then by oversubscription
  std::optional<std::size_t> best{};    ///< which to buy; nothing if none can be built
  /// Which to buy if all prices of network parts are at the low, or the high end of their ranges.
  std::optional<std::size_t> best_if_cheap{}, best_if_dear{};
  std::optional<Strategy> strategy{};  ///< of the job, on all fabrics
  std::vector<std::string> notes{};
};

/// What to do while an option is evaluated: called before each with what comes next.
using PlanProgress = std::function<void(const std::string& what)>;

/// Designs each fabric with the fewest switches, makes its bill, and times the job on it. The one
/// to buy has the least cost_of_step: a slower step wastes the GPUs, so a network may cost more if
/// it saves their time. Without a job it is the one with the lowest price. Throws InputError where
/// the node has no NIC or the GPUs are not a whole number of nodes.
[[nodiscard]] FabricPlan plan_fabric(const FabricPlanRequest& request,
                                     const PlanProgress& progress = {});

/// The name of a kind and its oversubscription: "rail_clos 1:1".
[[nodiscard]] std::string name_of(const FabricOption& option);
}  // namespace railyard::placement
