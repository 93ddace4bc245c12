#pragma once

#include "apps/cli/context.hpp"
#include "apps/sweep/sweep_request.hpp"

namespace railyard::apps {

/// Runs the points that are not in the sweep's database, on threads of this process and, if a
/// launcher started several railyard-cluster processes, on all ranks. Returns the exit code: 1 if a
/// point failed.
[[nodiscard]] int run_sweep(const SweepFlags& flags, Context& context);

}  // namespace railyard::apps
