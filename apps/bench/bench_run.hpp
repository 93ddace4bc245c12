#pragma once

#include "apps/bench/bench_flags.hpp"
#include "apps/cli/context.hpp"

namespace railyard::apps {

/// Runs the benchmark and writes its rows. Returns the exit code: 1 if a result was wrong. Throws
/// BackendError if the backend is missing or fails.
int run_bench(const BenchFlags& flags, Context& context);

}  // namespace railyard::apps
