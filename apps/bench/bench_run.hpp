#pragma once

#include "apps/bench/bench_flags.hpp"
#include "apps/cli/context.hpp"

namespace railyard::apps {

/// Runs the benchmark and writes its rows. Returns the exit code: 1 where a result was wrong.
/// Throws BackendError for a backend that is not there or fails.
int run_bench(const BenchFlags& flags, Context& context);

}  // namespace railyard::apps
