#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/world/world.hpp"

namespace railyard::hw {

/// Runs `setup` on every process and continues only if it succeeded on all of them. Throws
/// InputError on all processes if it threw one on any (for example for a file that one host lacks),
/// with host and rank unless all have the same problem.
void set_up_together(World& world, const std::function<void()>& setup);

/// Throws InputError if a process was started with another command than process 0, with host, rank
/// and both commands, because its sends and receives would not match.
void require_same_command(World& world, const std::string& command);

/// The environment variables of this process that configure a live run: NCCL_*, UCX_*, and
/// OMPI_MCA_* without those that Open MPI's launcher sets. No others are recorded.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> live_environment();

/// The variables of live_environment() that are not the same on all processes, as "NCCL_ALGO: host
/// h1, rank 2 has 'Ring', host h0, rank 0 has none". Complete only at process 0.
[[nodiscard]] std::vector<std::string> environment_differences(World& world);

}  // namespace railyard::hw
