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

/// A cluster and a number of its GPUs.
struct TrainingCase {
  std::string cluster{};
  int gpus = 0, nodes = 0;
};

/// A training to plan, as values.
struct TrainingPlanRequest {
  Job job{};
  TrainingRequest training{};
  std::shared_ptr<const FailureTrace> trace{};  ///< what training.trace points to
  PlanLimits limits{};
  std::vector<std::string> candidates{};
  std::vector<TrainingCase> cases{};  ///< by candidate, ascending GPUs
  /// Prices of GPU-hours that are given, by candidate.
  std::map<std::string, double> prices{};
  PriceList parts_list{};   ///< configs/prices/network.json: power of network parts
  int verify = 5;           ///< strategies to simulate per case
  EngineFactory engines{};  ///< that simulate them
  /// What simulates whole steps with grey failures; empty: runs do not contain them.
  StepRunnerFactory grey_runners{};
};

}  // namespace railyard::placement
