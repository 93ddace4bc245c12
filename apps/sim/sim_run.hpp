#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "apps/sim/sim_flags.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// Simulates what the flags ask for and writes the rows. Returns the exit code: 1 where --verify
/// found something.
int run_sim(const SimFlags& flags, Context& context);

/// The rows of the sizes, one after the other; of the flags only those that matter to a single
/// collective count. Adds what was read to `provenance`.
[[nodiscard]] std::vector<collectives::Measurement> simulate(const SimFlags& flags,
                                                             const std::vector<Bytes>& sizes,
                                                             Provenance& provenance);

}  // namespace railyard::apps
