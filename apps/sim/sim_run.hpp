#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "apps/sim/sim_flags.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// Runs `railyard sim` and writes its rows. Returns the exit code: 1 if --verify found an error.
int run_sim(const SimFlags& flags, Context& context);

/// The rows of all sizes, simulated one after another, without jobs, groups and output. Adds the
/// files that it reads to `provenance`.
[[nodiscard]] std::vector<collectives::Measurement> simulate(const SimFlags& flags,
                                                             const std::vector<Bytes>& sizes,
                                                             Provenance& provenance);

}  // namespace railyard::apps
