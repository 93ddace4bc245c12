#pragma once

#include <string>
#include <vector>

#include "hw/live_backend.hpp"

namespace railyard::hw {

/// How often a task runs; as nccl-tests' -w, -n and -c.
struct Repetition {
  int warmup = 1;
  int iterations = 20;
  bool check = true;
  /// Run all counted iterations without barriers between them, as nccl-tests does by default: this
  /// measures throughput rather than latency. Otherwise each iteration starts at a barrier, with
  /// fresh data.
  bool back_to_back = false;
  bool by_rank = false;  ///< fill Measured::rank_times, even if that takes time
};

/// The results. Complete at process 0; on other processes only `check`, for their own ranks.
struct Measured {
  /// By counted iteration, in order: the longest time of any rank. Back to back: one value, the
  /// total time / the number of iterations.
  std::vector<Time> times;
  /// By iteration: from the first rank's arrival to the last's.
  std::vector<Time> skews;
  /// By rank: the time of each iteration there, zero if the rank has nothing to do. If a backend
  /// runs several ranks as one, only with Repetition::by_rank.
  std::vector<std::vector<Time>> rank_times;
  CheckResult check;  ///< of all ranks; the first wrong one is of the lowest process
};

/// Throws BackendError if the data of all ranks, rounded up to blocks and stored several times,
/// could overflow a 64-bit number of bytes. measure() calls it first.
void require_addressable(Bytes bytes, std::size_t ranks);

/// Measures a prepared task on every process. Results are checked after a last, untimed run with
/// other values in memory. Throws BackendError.
[[nodiscard]] Measured measure(LiveBackend& backend, LiveRun& run, const Repetition& repetition);
/// Prepares a task on every process and measures it.
[[nodiscard]] Measured measure(LiveBackend& backend, const LiveTask& task,
                               const Repetition& repetition);

}  // namespace railyard::hw
