#pragma once

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "apps/plan/serve/serve_flags.hpp"
#include "placement/serving/planner/serving_option.hpp"

namespace railyard::apps {

/// Throws InputError for flags that have no effect with --calibrate.
void check_calibration_flags(const ServeFlags& flags);

/// --calibrate: fits the efficiencies of a step to the measured times of the request's trace,
/// writes them to the flag's file, and prints parameters and errors. Throws InputError if the
/// request is not one deployment whose replicas use all of --gpus.
int run_calibration(const ServeFlags& flags, const placement::serving::ServingPlanRequest& request,
                    const Provenance& provenance, Context& context);

}  // namespace railyard::apps
