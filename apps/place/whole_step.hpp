#pragma once

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "apps/place/place_request.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// The whole step of the best strategy as one workload: writes it where --workload asks for it, and
/// runs it where --whole-step does. The run adds a section with a line per role, one with the
/// critical path, and is what --trace writes. Returns whether it wrote the trace.
bool add_whole_step(const PlaceRequest& request, const placement::PlaceProblem& problem,
                    const placement::Verified& best, const placement::Mapping& mapping,
                    ResultDocument& document, Context& context);

}  // namespace railyard::apps
