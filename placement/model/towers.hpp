#pragma once

#include "placement/model/job.hpp"

namespace railyard::placement {

/// A tower's transformer as a Model, so that the formulas for layers apply to it. It has no causal
/// mask, no head and no dropout.
[[nodiscard]] Model tower_model(const TowerSpec& tower);

/// The job of a tower: its transformer over sequences of one input each. The batch is the number of
/// inputs (pictures) of a step.
[[nodiscard]] Job tower_job(const Job& job, const TowerSpec& tower);
/// Tokens of one input that reach the model, and the values per token at the projector's input.
[[nodiscard]] double projected_tokens(const TowerSpec& tower);
[[nodiscard]] double projector_inputs(const TowerSpec& tower);

}  // namespace railyard::placement
