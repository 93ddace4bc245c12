#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "collectives/schedule/executor.hpp"
#include "sim/run_watch.hpp"

namespace railyard::sim {

/// About what a simulation of tasks takes at its peak, and what its memory grows with.
struct RunMemory {
  std::uint64_t bytes = 0;
  std::string engine;  ///< "flow", "packet"
  std::span<const collectives::Task> tasks;
  /// Every step of the tasks is kept, so that memory grows with their bytes.
  bool grows_with_bytes = false;
  /// What needs less memory: "--fidelity flow".
  std::string instead = {};
};

/// Throws InputError with what would fit where that is more than is available; announces what takes
/// much (core::check_memory). All engines ask here, before they begin.
void check_memory(const RunMemory& memory, const Announce& announce);

}  // namespace railyard::sim
