#pragma once

#include "apps/cli/context.hpp"
#include "apps/replay/replay_flags.hpp"

namespace railyard::apps {

/// Imports the workloads, runs each on each cluster and writes the result (kind "replay"). Returns
/// the exit code. Throws InputError.
int run_replay(const ReplayFlags& flags, Context& context);

}  // namespace railyard::apps
