#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"

namespace railyard::apps {

/// run_elastic over several types of GPU: `now` is the problem before nodes come or go.
int run_mixed_elastic(const PlaceRequest& request, const placement::PlaceProblem& now,
                      Provenance& provenance, Context& context);

}  // namespace railyard::apps
