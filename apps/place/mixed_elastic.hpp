#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/question.hpp"

namespace railyard::apps {

/// run_elastic over several types of GPU: `now` is the question before nodes come or go.
int run_mixed_elastic(const PlaceFlags& flags, Question& now, Provenance& provenance,
                      Context& context);

}  // namespace railyard::apps
