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

/// Most micro-batches in a file's timeline: enough to show warm-up, steady state and end.
inline constexpr int kShownMicroBatches = 16;

/// A row per event of a step; with several classes of replicas also its class.
[[nodiscard]] RowTable tabulate_timeline(std::span<const placement::StepEvent> events);

/// A row per rank: its coordinates, node and GPU.
[[nodiscard]] RowTable tabulate_ranks(const topology::Cluster& cluster,
                                      const placement::Strategy& strategy,
                                      const placement::Mapping& mapping);

/// The step of a strategy, simulated if it was; at most `micro_batches` of them, 0: all.
[[nodiscard]] std::vector<placement::StepEvent> timeline_of(
    const placement::PlaceProblem& problem, const placement::SimulatedStrategy& best,
    int micro_batches);
/// Writes the whole step to the file of --trace.
void write_step_trace(const OutputFlags& output, const placement::PlaceProblem& problem,
                      const placement::SimulatedStrategy& best, Context& context);

}  // namespace railyard::apps
