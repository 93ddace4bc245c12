#pragma once

#include <map>
#include <string>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/scored.hpp"
#include "placement/measured/step_errors.hpp"
#include "placement/measured/training_runs.hpp"

namespace railyard::placement {

/// A cluster as steps on it are predicted: its node's links and the GPU's efficiencies.
struct PredictedMachine {
  NodeFabric fabric{};
  Processor gpu{};
};

/// Predicts measured steps by formula; reads each cluster once.
class StepPredictor {
 public:
  /// The machine of a cluster in configs/clusters. Throws InputError.
  const PredictedMachine& machine(const std::string& cluster);
  /// Score of a run with the shipped efficiencies, or with `spec` in their place.
  Scored score(const TrainingRun& run, const topology::ComputeSpec* spec = nullptr);
  double seconds(const TrainingRun& run, const topology::ComputeSpec* spec = nullptr) {
    return score(run, spec).step.total.seconds();
  }
  /// Time and memory of a run.
  PredictedStep predict(const TrainingRun& run);

 private:
  std::map<std::string, PredictedMachine> machines_{};
};

}  // namespace railyard::placement
