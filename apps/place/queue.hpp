#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"

namespace railyard::apps {

/// `place --queue FILE`: places several new jobs on the free nodes. Each job uses the strategy that
/// is fastest on the free nodes alone; nodes are then given out as arrange_queue() says. Returns
/// the exit code: 1 where a job finds no nodes.
int run_queue(const PlaceRequest& request, Context& context);

}  // namespace railyard::apps
