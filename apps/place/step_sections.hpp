#pragma once

#include <span>

#include "apps/cli/context.hpp"
#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/simulate/step_timeline.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// Most micro-batches of a step in a file's timeline: enough to show warm-up, steady state and end.
inline constexpr int kShownMicroBatches = 16;

/// A line per event of a step; of its pipeline too where replicas are of several classes.
[[nodiscard]] RowTable tabulate_timeline(std::span<const placement::StepEvent> events);

/// A line per rank: its coordinates, node and GPU.
[[nodiscard]] RowTable tabulate_ranks(const topology::Cluster& cluster,
                                      const placement::Strategy& strategy,
                                      const placement::Mapping& mapping);

/// The step of a strategy, as it was simulated if it was; of `micro_batches` at most, 0 of all.
[[nodiscard]] std::vector<placement::StepEvent> timeline_of(
    const placement::PlaceProblem& problem, const placement::SimulatedStrategy& best,
    int micro_batches);
/// Writes the whole step where --trace asks for it.
void write_step_trace(const OutputFlags& output, const placement::PlaceProblem& problem,
                      const placement::SimulatedStrategy& best, Context& context);

}  // namespace railyard::apps
