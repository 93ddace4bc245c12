#pragma once

#include <map>
#include <string>

#include "apps/validate/training/runs.hpp"
#include "placement/cost/closed_form.hpp"
#include "placement/cost/scored.hpp"

namespace railyard::apps {

/// A cluster as steps on it are predicted: its node's links and the GPU's efficiencies.
struct PredictedMachine {
  placement::NodeFabric fabric{};
  placement::Processor gpu{};
};

/// Predicts measured steps by formula; reads each cluster once.
class StepPredictor {
 public:
  /// The machine of a cluster in configs/clusters. Throws InputError.
  const PredictedMachine& machine(const std::string& cluster);
  /// Score of a run with the shipped efficiencies, or with `spec` in their place.
  placement::Scored score(const TrainingRun& run, const topology::ComputeSpec* spec = nullptr);
  double seconds(const TrainingRun& run, const topology::ComputeSpec* spec = nullptr) {
    return score(run, spec).step.total.seconds();
  }

 private:
  std::map<std::string, PredictedMachine> machines_{};
};

}  // namespace railyard::apps
