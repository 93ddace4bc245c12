#pragma once

#include <map>
#include <string>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/scored.hpp"
#include "placement/measured/step_errors.hpp"
#include "placement/measured/training_runs.hpp"

namespace railyard::placement {

/// A cluster for predictions: its nodes' links, and the GPU with its efficiencies.
struct PredictedMachine {
  NodeFabric fabric{};
  Processor gpu{};
};

/// Predicts measured steps by formula. Reads each cluster only once.
class StepPredictor {
 public:
  /// The machine of a cluster in configs/clusters. Throws InputError if it cannot be read.
  const PredictedMachine& machine(const std::string& cluster);
  /// Prediction for a run with the shipped efficiencies, or with those of `spec`.
  Scored score(const TrainingRun& run, const topology::ComputeSpec* spec = nullptr);
  double seconds(const TrainingRun& run, const topology::ComputeSpec* spec = nullptr) {
    return score(run, spec).step.total.seconds();
  }
  /// Predicted time and memory of a run.
  PredictedStep predict(const TrainingRun& run);

 private:
  std::map<std::string, PredictedMachine> machines_{};
};

}  // namespace railyard::placement
