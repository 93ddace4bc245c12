#pragma once

#include <string>
#include <vector>

#include "hw/live_backend.hpp"

namespace railyard::hw {

/// How often a task is run, as nccl-tests' -w, -n and -c.
struct Repetition {
  int warmup = 1;
  int iterations = 20;
  bool check = true;
  /// All counted iterations in one go, without a barrier between them, as nccl-tests does by
  /// default: throughput, and not latency. Else each starts at a barrier, with its data fresh.
  bool back_to_back = false;
  bool by_rank = false;  ///< Measured::rank_times is wanted, where that costs time too
};

/// What came of it. Complete at process 0; elsewhere only `check`, of the own ranks.
struct Measured {
  /// Of each counted iteration in the order run: the longest of the ranks'. Back to back: one, the
  /// whole time by the number of iterations.
  std::vector<Time> times;
  /// Of each: from the first rank's arrival to the last's.
  std::vector<Time> skews;
  /// By rank: of each iteration, how long it took there, zero where it had nothing to do. Of ranks
  /// that a backend runs as one only where Repetition::by_rank asks for it.
  std::vector<std::vector<Time>> rank_times;
  CheckResult check;  ///< of all ranks; the first wrong one is of the lowest process
};

/// Throws BackendError where the data of all ranks, rounded up to blocks and held several times,
/// could overflow a 64-bit number of bytes. measure() calls it first.
void require_addressable(Bytes bytes, std::size_t ranks);

/// Measures what is prepared on every process. The check follows a last, untimed run over memory
/// that was filled with other values. Throws BackendError.
[[nodiscard]] Measured measure(LiveBackend& backend, LiveRun& run, const Repetition& repetition);
/// Prepares a task on every process and measures it.
[[nodiscard]] Measured measure(LiveBackend& backend, const LiveTask& task,
                               const Repetition& repetition);

}  // namespace railyard::hw
