#pragma once

#include <string>

#include "placement/cost/scored_strategy.hpp"

namespace railyard::placement {

/// Speed per GPU (tokens per second and GPU) / that of another strategy for the same job. Batches
/// may differ.
[[nodiscard]] double scaling_efficiency(const Job& base_job, const ScoredStrategy& base,
                                        const Job& job, const ScoredStrategy& scored);

/// The reason for low efficiency: the part of a step that grew most in GPU time per token since
/// `base`. "compute" (smaller products), "memory" (recomputation or offloading), "communication",
/// "batch" (pipeline bubble: too few micro-batches), "optimizer"; "none" if no part grew.
[[nodiscard]] std::string scaling_limit(const Job& base_job, const ScoredStrategy& base,
                                        const Job& job, const ScoredStrategy& scored);

}  // namespace railyard::placement
