#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "placement/measured/training_runs.hpp"

namespace railyard::apps {

/// Seconds of each run's step, simulated as one workload at flow fidelity on its cluster, with the
/// shipped efficiencies; 0 where it cannot be simulated so, which a note says.
[[nodiscard]] std::vector<double> whole_step_seconds(
    const std::vector<placement::TrainingRun>& runs, std::vector<std::string>& notes,
    Context& context);

}  // namespace railyard::apps
