#pragma once

#include "placement/model/job.hpp"

namespace railyard::placement {

/// A tower's transformer as a model, to be counted with the formulas of layers: every token sees
/// every other, no head, no dropout.
[[nodiscard]] Model tower_model(const TowerSpec& tower);

/// A tower's work in a job: its transformer over sequences of an input each, whose batch counts
/// inputs.
[[nodiscard]] Job tower_job(const Job& job, const TowerSpec& tower);
/// Tokens of one input that reach the model, and the numbers that each has in front of the
/// projector.
[[nodiscard]] double projected_tokens(const TowerSpec& tower);
[[nodiscard]] double projector_inputs(const TowerSpec& tower);

}  // namespace railyard::placement
