#pragma once

#include "apps/context.hpp"
#include "apps/place/place_flags.hpp"

namespace railyard::apps {

/// What a running job (--fix or --from-megatron) should become when nodes are lost (--lost) or
/// added
/// (--added): the same split over fewer or more replicas, and the fastest strategy, with what has
/// to move and when that pays. Returns the exit code: 1 where nothing fits any more.
int run_elastic(const PlaceFlags& flags, Context& context);

}  // namespace railyard::apps
