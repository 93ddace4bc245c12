#pragma once

#include <cstdint>

namespace railyard::core {

/// Memory in bytes that this process can still allocate before the kernel swaps or kills processes:
/// the smaller of the system's available memory and what the process's control group (cgroup v2)
/// has left. Returns the largest integer if neither can be read.
[[nodiscard]] std::uint64_t available_memory();

/// Memory of the machine in bytes, or the limit of the control group (cgroup v2) if that is
/// smaller. Returns the largest integer if neither can be read.
[[nodiscard]] std::uint64_t total_memory();

}  // namespace railyard::core
