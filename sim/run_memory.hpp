#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "collectives/schedule/executor.hpp"
#include "sim/run_watch.hpp"

namespace railyard::sim {

/// Estimated peak memory of a simulation of tasks, and what it grows with.
struct RunMemory {
  std::uint64_t bytes = 0;
  std::string engine;  ///< "flow", "packet"
  std::span<const collectives::Task> tasks;
  /// Every step of the tasks is stored, so memory grows with their bytes.
  bool grows_with_bytes = false;
  /// The alternative that needs less memory: "--fidelity flow".
  std::string instead = {};
};

/// Throws InputError with the size that fits if more memory is needed than available, and announces
/// large runs (core::check_memory). All engines call it before they begin.
void check_memory(const RunMemory& memory, const Announce& announce);

}  // namespace railyard::sim
