#pragma once

#include <string>

#include "placement/jobs/node_choice.hpp"

namespace railyard::apps {

/// Engines of a fidelity, with schedules as NCCL would choose them, the problem's faults and the
/// bandwidth that other jobs leave. A call throws InputError for an unknown fidelity.
[[nodiscard]] placement::EngineFactory engines_of(std::string fidelity);

/// How many of a search's best are simulated by default.
inline constexpr int kVerified = 20;

}  // namespace railyard::apps
