#pragma once

#include <cstdint>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// The workload with one slow rank, in a role of its own: its computation takes 1 / `speed` times
/// as long. Messages, copies and host gaps do not change.
///
/// Example: two ranks compute for 9 ms, then sum 0 bytes. With speed 0.9 rank 1 takes 10 ms, and
/// rank 0 waits 1 ms for it.
[[nodiscard]] Workload with_slow_rank(const Workload& workload, std::uint32_t rank, double speed);

}  // namespace railyard::collectives
