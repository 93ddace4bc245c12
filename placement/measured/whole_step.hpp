#pragma once

#include <optional>
#include <string>

#include "core/units.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/measured/training_runs.hpp"

namespace railyard::placement {

/// A step simulated as one workload.
struct WholeStep {
  std::optional<Time> time{};
  std::string why_not{};  ///< why there is no time
};

/// The step of a measured run, simulated on the fewest nodes of its cluster with the shipped
/// efficiencies; ranks follow the order of the GPUs. Throws InputError if the cluster cannot be
/// read.
[[nodiscard]] WholeStep whole_step(const TrainingRun& run, const EngineFactory& engines);

}  // namespace railyard::placement
