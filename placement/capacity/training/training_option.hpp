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

/// Settings that all options of a plan share.
struct TrainingRequest {
  double tokens = 0;
  FailureModel failures{};
  const FailureTrace* trace = nullptr;
  CheckpointKind checkpoint = CheckpointKind::asynchronous;
  std::optional<Duration> interval{};  ///< time between checkpoints; unset: the best by formula
  std::optional<int> spares{};         ///< nodes; unset: spare_nodes()
  NodeMissing node_missing = NodeMissing::fastest;
  Assumptions assumed{};
  MonteCarlo runs{.runs = 100};
  std::string currency = "USD";
  std::optional<double> purchase{};  ///< price of a GPU with its share of node and network
};

/// A number and its range over the ranges of the assumptions.
struct Ranged {
  double value = 0, low = 0, high = 0;
};

/// A part of the cost of a training.
struct CostPart {
  std::string name{};
  double cost = 0;
};

/// A strategy on a number of a candidate's GPUs, and the totals of the training.
struct TrainingOption {
  std::string cluster{}, gpu{};
  int gpus = 0, nodes = 0, spares = 0;  ///< spares: nodes
  int asked_gpus = 0, asked_nodes = 0;  ///< of its case; with several types some may be left over
  Scored best{};                        ///< with the simulated step, if it was simulated
  bool simulated = false;
  double tokens_per_s = 0, tflops_per_gpu = 0, mfu = 0;
  std::string bound_by{};
  double training_days = 0;           ///< without failures and checkpoints
  double mean_time_to_failure_h = 0;  ///< of the job, with the lemon nodes at its start
  /// Without failures that the job causes and lemon nodes that get replaced; unset for a trace.
  std::optional<double> hardware_time_to_failure_h{};
  CheckpointCost checkpoint{};
  double interval_s = 0;
  GoodputEstimate goodput{};
  std::vector<GreyFailure> grey{};  ///< included in `goodput`
  ShrunkStrategy shrunk{};          ///< without one node, if `goodput` includes shrinking
  Ranged days{}, energy_MWh{};
  std::optional<Ranged> cost{};      ///< rented; set if the price is known
  std::optional<Ranged> own_cost{};  ///< bought, with electricity; set if a purchase price is
                                     ///< given
  /// Rent by what the GPUs do (sum "rent"); for bought GPUs capital and electricity (sum "bought").
  std::vector<CostPart> cost_parts{};
  std::optional<double> break_even_years{};
  PowerParts power{};
  ClusterParts parts{};  ///< parts other than GPUs, with the listed power of the network
  Ranged carbon_t{};
  std::optional<double> cost_per_million_tokens{};
  // Set by choose():
  bool within_limits = true;
  std::string missed{};  ///< the limits that it exceeds
  bool pareto = false, cheapest = false, fastest = false;
};

/// Number of spare nodes that is enough in 95 % of the time: the least s with P(Poisson(m) <= s) >=
/// 0.95, m = failures that take a node per second · mean repair time.
[[nodiscard]] int spare_nodes(const FailureModel& failures, const ComponentCounts& counts);

/// A strategy on a problem's GPUs, with the conditions of its runs.
struct OptionCase {
  const PlaceProblem& problem;
  const ClusterParts& parts;
  const Scored& scored;
  std::span<const GreyFailure> grey{};  ///< grey failures in the runs
  ShrunkStrategy shrunk{};              ///< strategy with which runs may continue without a node
};

/// The run of a strategy with the assumptions at an end of their ranges.
[[nodiscard]] RunSetup run_setup(const TrainingRequest& request, const OptionCase& one,
                                 RangeEnd end);

/// Totals of a training with a strategy on a problem's GPUs. `price`: per GPU-hour. days, energy
/// and cost are those of the mean simulated run; their ranges have all assumptions at the better or
/// the worse end. If runs wait for repairs, and continuing on fewer nodes could shorten the
/// training by more than 0.1 %, the strategy without a node is searched: the same split, or that of
/// the elastic planner if it could shorten the training by another 0.1 %.
[[nodiscard]] TrainingOption training_option(const TrainingRequest& request, const OptionCase& one,
                                             std::optional<double> price);

}  // namespace railyard::placement
