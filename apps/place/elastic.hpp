#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"

namespace railyard::apps {

/// Throws InputError for flags that do not apply to a running job (`place --lost` and `--added`).
void check_elastic(const PlaceRequest& request);

/// Prints the options of a running job when nodes are lost or added, with the bytes to move and the
/// payback time. Returns the exit code: 1 if nothing fits any more.
int run_elastic(const PlaceRequest& request, placement::PlaceProblem problem,
                Provenance& provenance, Context& context);

}  // namespace railyard::apps
