#pragma once

#include <cstdint>

namespace railyard::core {

/// Bytes of memory that this process may still take without others being swapped out or killed:
/// what the system counts as available, and what the control group (version 2) has left if it is
/// less. The largest number where neither can be told.
[[nodiscard]] std::uint64_t available_memory();

/// Bytes of memory of the machine, or of the control group if that may use less. The largest number
/// where neither can be told.
[[nodiscard]] std::uint64_t total_memory();

}  // namespace railyard::core
