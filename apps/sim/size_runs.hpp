#pragma once

#include <vector>

#include "apps/sim/sim_session.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// Simulates a collective at every size with every seed (--seeds), several runs concurrently, and
/// writes a row per size: the run, or the median run of the seeds and their spread. After ctrl-C it
/// writes the completed sizes. Returns the exit code.
int run_sizes(SimSession& session, const std::vector<Bytes>& sizes);

}  // namespace railyard::apps
