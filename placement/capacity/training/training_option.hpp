#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/capacity/budget/assumptions.hpp"
#include "placement/capacity/budget/cluster_parts.hpp"
#include "placement/capacity/budget/ownership.hpp"
#include "placement/capacity/budget/power_parts.hpp"
#include "placement/capacity/goodput/checkpoint.hpp"
#include "placement/capacity/goodput/goodput.hpp"
#include "placement/capacity/training/grey_failures.hpp"
#include "placement/capacity/training/shrunk_strategy.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::placement {

/// What all options of a plan share.
struct TrainingRequest {
  double tokens = 0;
  FailureModel failures{};
  const FailureTrace* trace = nullptr;
  CheckpointKind checkpoint = CheckpointKind::asynchronous;
  std::optional<Duration> interval{};  ///< between checkpoints; nothing: the best by formula
  std::optional<int> spares{};         ///< nodes; nothing: spare_nodes()
  NodeMissing node_missing = NodeMissing::fastest;
  Assumptions assumed{};
  MonteCarlo runs{.runs = 100};
  std::string currency = "USD";
  std::optional<double> purchase{};  ///< price of a GPU with its share of node and network
};

/// A number and the range in which the assumptions leave it.
struct Ranged {
  double value = 0, low = 0, high = 0;
};

/// A part of what a training costs.
struct CostPart {
  std::string name{};
  double cost = 0;
};

/// A strategy on a number of a candidate's GPUs, and what the training takes.
struct TrainingOption {
  std::string cluster{}, gpu{};
  int gpus = 0, nodes = 0, spares = 0;  ///< spares: nodes
  int asked_gpus = 0, asked_nodes = 0;  ///< of its case: over several types some may be left over
  Scored best{};                        ///< with the simulated step where it was simulated
  bool simulated = false;
  double tokens_per_s = 0, tflops_per_gpu = 0, mfu = 0;
  std::string bound_by{};
  double training_days = 0;           ///< without failures and checkpoints
  double mean_time_to_failure_h = 0;  ///< of the job, with the lemon nodes of its start
  /// Without failures that the job itself causes and lemon nodes that get replaced; not of a trace.
  std::optional<double> hardware_time_to_failure_h{};
  CheckpointCost checkpoint{};
  double interval_s = 0;
  GoodputEstimate goodput{};
  std::vector<GreyFailure> grey{};  ///< that goodput contains
  ShrunkStrategy shrunk{};          ///< without a node, where goodput contains it
  Ranged days{}, energy_MWh{};
  std::optional<Ranged> cost{};      ///< rented; where a price is known
  std::optional<Ranged> own_cost{};  ///< bought, with electricity; where a purchase price is given
  /// Rent by what the GPUs do in it, its sum "rent"; of bought GPUs capital and electricity, their
  /// sum "bought".
  std::vector<CostPart> cost_parts{};
  std::optional<double> break_even_years{};
  PowerParts power{};
  ClusterParts parts{};  ///< beside its GPUs, with the listed power of the network
  Ranged carbon_t{};
  std::optional<double> cost_per_million_tokens{};
  // Set by choose():
  bool within_limits = true;
  std::string missed{};  ///< the limits that it misses
  bool pareto = false, cheapest = false, fastest = false;
};

/// Nodes that are under repair at most in 95 % of the time: the least s with P(Poisson(m) <= s) >=
/// 0.95, m = failures that take a node a second · mean repair.
[[nodiscard]] int spare_nodes(const FailureModel& failures, const ComponentCounts& counts);

/// A strategy on a problem's GPUs.
struct OptionCase {
  const PlaceProblem& problem;
  const ClusterParts& parts;
  const Scored& scored;
  std::span<const GreyFailure> grey{};  ///< that runs contain
  ShrunkStrategy shrunk{};              ///< that runs may go on with
};

/// The run of a strategy with the assumptions at an end of their ranges.
[[nodiscard]] RunSetup run_setup(const TrainingRequest& request, const OptionCase& one,
                                 RangeEnd end);

/// What training by a strategy takes on a problem's GPUs. `price`: of a GPU-hour. days, energy and
/// cost are those of the mean simulated run; their ranges have all assumptions at the better or the
/// worse end. Where runs wait for repairs, and fewer nodes can shorten the training by more than
/// 0.1 %, the strategy without a node is found: the same split, or that of the elastic planner
/// where it could shorten the training by 0.1 % more.
[[nodiscard]] TrainingOption training_option(const TrainingRequest& request, const OptionCase& one,
                                             std::optional<double> price);

}  // namespace railyard::placement
