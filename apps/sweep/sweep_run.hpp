#pragma once

#include "apps/cli/context.hpp"
#include "apps/sweep/sweep_request.hpp"

namespace railyard::apps {

/// Runs the points of a sweep that the database lacks, on threads of this process and, where a
/// launcher started several of railyard-cluster, on all its ranks. Returns the exit code: 1 where a
/// point failed.
[[nodiscard]] int run_sweep(const SweepFlags& flags, Context& context);

}  // namespace railyard::apps
