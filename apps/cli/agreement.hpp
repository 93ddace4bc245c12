#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/live_backend.hpp"

namespace railyard::apps {

/// Runs `setup` on every process and goes on only where it worked everywhere. Throws InputError on
/// all of them where it threw that on any (a file that one host lacks), naming host and rank unless
/// all have the same problem.
void set_up_together(hw::World& world, const std::function<void()>& setup);

/// Throws InputError where a process was started with other arguments than process 0, naming host,
/// rank and both: what is run there would not match what is sent.
void require_same_arguments(hw::World& world, const std::vector<std::string>& arguments);

/// The variables of this process's environment that say how a live run was set up: NCCL_*, UCX_*,
/// and OMPI_MCA_* less what Open MPI's own launcher writes there. Nothing else is ever recorded.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> live_environment();

/// Those variables that are not the same on all processes, as "NCCL_ALGO: host h1, rank 2 has
/// 'Ring', host h0, rank 0 has none"; complete at process 0.
[[nodiscard]] std::vector<std::string> environment_differences(hw::World& world);

}  // namespace railyard::apps
