#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "apps/plan/train/train_flags.hpp"
#include "placement/capacity/price_list.hpp"
#include "placement/capacity/training/choice.hpp"
#include "placement/capacity/training/training_option.hpp"

namespace railyard::apps {

/// A cluster and a number of its GPUs.
struct TrainCase {
  std::string cluster{};
  int gpus = 0, nodes = 0;
};

/// What `railyard plan train` is asked to do, as values.
struct TrainPlanRequest {
  placement::Job job{};
  placement::TrainingRequest training{};
  std::shared_ptr<const placement::FailureTrace> trace{};  ///< what training.trace points to
  placement::PlanLimits limits{};
  std::vector<std::string> candidates{};
  std::vector<TrainCase> cases{};  ///< by candidate, ascending GPUs
  /// Prices of GPU-hours that flags set, by candidate.
  std::map<std::string, double> prices{};
  placement::PriceList parts_list{};  ///< configs/prices/network.json: power of network parts
  int verify = 5;
};

/// Reads the files and checks the flags. Adds what was read and assumed to `provenance`. Throws
/// InputError for texts of flags that are no values, currencies that differ, unknown candidates.
[[nodiscard]] TrainPlanRequest train_request(const TrainFlags& flags, Provenance& provenance);

}  // namespace railyard::apps
