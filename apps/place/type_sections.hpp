#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/cost/scored_strategy.hpp"
#include "placement/jobs/alternatives.hpp"

namespace railyard::apps {

/// A row per class of pipelines and GPU type: replicas, micro-batches, stages, layers, the passes
/// of the slowest stage and the memory of the fullest stage.
[[nodiscard]] RowTable tabulate_stages(const placement::CostContext& context,
                                       const placement::ScoredStrategy& scored);

/// A row for the best strategy and for each alternative, with its time / that of the best:
/// simulated if both were simulated.
[[nodiscard]] RowTable tabulate_alternatives(const placement::SimulatedStrategy& best,
                                             std::span<const placement::Alternative> alternatives);

}  // namespace railyard::apps
