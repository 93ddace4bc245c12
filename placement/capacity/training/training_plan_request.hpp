#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placement/capacity/price_list.hpp"
#include "placement/capacity/training/choice.hpp"
#include "placement/capacity/training/training_option.hpp"
#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// A cluster and the number of its GPUs and nodes.
struct TrainingCase {
  std::string cluster{};
  int gpus = 0, nodes = 0;
};

/// Inputs of a training plan.
struct TrainingPlanRequest {
  Job job{};
  TrainingRequest training{};
  std::shared_ptr<const FailureTrace> trace{};  ///< owner of training.trace
  PlanLimits limits{};
  std::vector<std::string> candidates{};
  std::vector<TrainingCase> cases{};  ///< by candidate, ascending GPUs
  /// Given prices of GPU-hours, by candidate.
  std::map<std::string, double> prices{};
  PriceList parts_list{};   ///< configs/prices/network.json: power of network parts
  int verify = 5;           ///< strategies to simulate per case
  EngineFactory engines{};  ///< engines that simulate them
  /// Simulates whole steps with grey failures; empty: runs have none.
  StepRunnerFactory grey_runners{};
};

}  // namespace railyard::placement
