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

/// Inputs of a comparison of fabrics.
struct FabricPlanRequest {
  topology::NodeSpec node{};
  int gpus = 0;
  std::vector<topology::FabricKind> kinds{};
  /// Bandwidth down / bandwidth up of the tier below the top one.
  std::vector<double> oversubscriptions{1.0};
  topology::SwitchModel model{};  ///< used in all tiers
  std::string switch_item{};      ///< its name in the price list
  topology::Transport transport = topology::Transport::infiniband;
  std::optional<topology::RoutingPolicy> routing{};  ///< empty: the transport's default
  std::uint64_t seed = 1;
  RoomLayout room{};
  PriceList prices{};
  double gpu_price = 0;                ///< price of a GPU and its share of a node, without NICs
  std::optional<Job> job{};            ///< job whose step is timed
  std::optional<Strategy> strategy{};  ///< empty: the best by formula on the first fabric
  Bytes all_reduce_bytes{};
  EngineFactory engines{};
};

/// One fabric of the comparison.
struct FabricOption {
  topology::FabricKind kind{};
  double oversubscription = 1;
  std::optional<topology::FabricDesign> design{};  ///< empty: it cannot be built
  int most_nodes = 0;                              ///< most nodes, if it cannot be built
  std::vector<BillLine> bill{};
  BillTotal total{};
  Bandwidth bisection{};
  /// Largest number of switches between GPUs on different nodes; unset without a path.
  std::optional<int> same_rail_switches{}, cross_rail_switches{};
  FabricTimes times{};
  /// (price of GPUs and network) x step, in currency · s; unset without a step.
  std::optional<double> cost_of_step{};
};

/// A comparison of fabrics.
struct FabricPlan {
  int nodes = 0, gpus = 0;
  std::vector<FabricOption> options{};  ///< by kind, then by oversubscription
  std::optional<std::size_t> best{};    ///< the fabric to buy; unset if none can be built
  /// The fabric to buy with all prices of network parts at the low, or at the high, end of their
  /// ranges.
  std::optional<std::size_t> best_if_cheap{}, best_if_dear{};
  std::optional<Strategy> strategy{};  ///< the job's strategy on all fabrics
  std::vector<std::string> notes{};
};

/// Called before each option with a description of it.
using PlanProgress = std::function<void(const std::string& what)>;

/// Designs each fabric with the fewest switches, makes its bill, and times the job on it. The
/// fabric to buy has the lowest cost_of_step: a slower step wastes the GPUs, so a network may cost
/// more if it saves their time. Without a job it is the fabric with the lowest price. Throws
/// InputError if the node has no NIC, or the GPUs are not a whole number of nodes.
[[nodiscard]] FabricPlan plan_fabric(const FabricPlanRequest& request,
                                     const PlanProgress& progress = {});

/// Kind and oversubscription of an option: "rail_clos 1:1".
[[nodiscard]] std::string name_of(const FabricOption& option);
}  // namespace railyard::placement
