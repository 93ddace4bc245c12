#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/cost/scored_strategy.hpp"
#include "placement/jobs/alternatives.hpp"

namespace railyard::apps {

/// A line per class of pipelines and type in it: replicas and their micro-batches, stages and their
/// layers, the slowest stage's passes, the fullest stage's memory.
[[nodiscard]] RowTable tabulate_stages(const placement::CostContext& context,
                                       const placement::ScoredStrategy& scored);

/// A line for the best and one per alternative, with its time over that of the best: as simulated
/// where both were.
[[nodiscard]] RowTable tabulate_alternatives(const placement::SimulatedStrategy& best,
                                             std::span<const placement::Alternative> alternatives);

}  // namespace railyard::apps
