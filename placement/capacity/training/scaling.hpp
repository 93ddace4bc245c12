#pragma once

#include <string>

#include "placement/cost/scored.hpp"

namespace railyard::placement {

/// Speed per GPU over that of another strategy of the same job, whatever the batch: tokens per
/// second and GPU.
[[nodiscard]] double scaling_efficiency(const Job& base_job, const Scored& base, const Job& job,
                                        const Scored& scored);

/// What costs the efficiency: the part of a step that grew most in GPU time per token from `base`.
/// "compute" (smaller products), "memory" (recomputation or offloading), "communication", "batch"
/// (pipeline bubble: too few micro-batches), "optimizer"; "none" where no part grew.
[[nodiscard]] std::string scaling_wall(const Job& base_job, const Scored& base, const Job& job,
                                       const Scored& scored);

}  // namespace railyard::placement
