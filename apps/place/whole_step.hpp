#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "apps/place/place_request.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/simulate/step_timeline.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// The whole step of the best strategy as one workload. Writes it to the file of --workload. With
/// --whole-step adds the times of its roles and the critical path. If the strategy was simulated as
/// a workload, or with --whole-step, --trace writes this run. Returns whether the trace was
/// written.
bool add_whole_step(const PlaceRequest& request, const placement::PlaceProblem& problem,
                    const placement::SimulatedStrategy& best, const placement::Mapping& mapping,
                    ResultDocument& document, Context& context);

/// The events of that step, with at most `micro_batches` micro-batches.
[[nodiscard]] std::vector<placement::StepEvent> whole_step_events(
    const PlaceRequest& request, const placement::PlaceProblem& problem,
    const placement::SimulatedStrategy& best, const placement::Mapping& mapping, int micro_batches);

}  // namespace railyard::apps
