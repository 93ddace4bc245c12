#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"

namespace railyard::apps {

/// `place --queue FILE`: places several new jobs on the free nodes. Each job uses the strategy that
/// is fastest when it runs alone. arrange_queue() assigns the nodes. Returns the exit code: 1 if a
/// job gets no nodes.
int run_queue(const PlaceRequest& request, Context& context);

}  // namespace railyard::apps
