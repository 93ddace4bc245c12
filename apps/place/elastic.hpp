#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"

namespace railyard::apps {

/// Throws InputError where the flags do not apply to a running job (`place --lost` and `--added`).
void check_elastic(const PlaceRequest& request);

/// What a running job can change to when nodes are lost or added, the bytes that move, and the
/// payback time. Returns the exit code: 1 where nothing fits any more.
int run_elastic(const PlaceRequest& request, placement::PlaceProblem problem,
                Provenance& provenance, Context& context);

}  // namespace railyard::apps
