#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/formats/traces/kineto_trace.hpp"

namespace railyard::collectives {

/// Something that the host or the GPU of a traced rank did, and what it waited for.
struct KinetoStep {
  static constexpr std::uint32_t kHost = ~std::uint32_t{0};
  std::uint32_t gpu = kHost;  ///< index of a GPU event; kHost: a call of the host
  std::uint32_t call = 0;     ///< index of the call, where it is one
  /// Nanoseconds between the end of the last thing that it waited for and its own begin: the host's
  /// own time, or what a launch takes.
  std::int64_t delay = 0;
  std::vector<std::uint32_t> after{};  ///< earlier steps, its stream's last one left out
};

/// The steps of a rank, by their begin.
struct KinetoOrder {
  std::vector<KinetoStep> steps;
  std::int64_t begin = 0, end = 0;   ///< of the trace, nanoseconds
  std::uint64_t recorded_waits = 0;  ///< of streams, as the profiler recorded them
  std::uint64_t inferred_waits = 0;  ///< told from the order of calls or from times
  std::uint64_t contradicted = 0;    ///< waits that the recorded times rule out
  std::uint64_t without_launch = 0;  ///< GPU events whose call is not in the trace
};

/// What waited for what in a trace.
///
/// The calls of all host threads are one stream, in recorded order; a call that blocks ends behind
/// the GPU events that it waited for. A GPU event begins behind its launch, behind the event before
/// it on its stream, and behind what its stream was told to wait for. `delay` keeps what the
/// recorded times leave: with recorded durations the steps take the recorded time.
///
/// Newer profilers record waits of streams (cuda_sync). Without these, a cudaStreamWaitEvent is
/// matched with what its thread launches next: an NCCL kernel waits for the last kernel of the
/// stream before; a kernel on another stream than the one before likewise; any other kernel waits
/// for the oldest NCCL kernel that nothing has waited for. Without cudaStreamWaitEvent either, an
/// NCCL kernel waits for the last kernel launched before it, and a kernel that was launched, whose
/// stream was free, and that begins within 20 us of the end of a collective waited for that.
[[nodiscard]] KinetoOrder order_of_kineto(const KinetoTrace& trace);

}  // namespace railyard::collectives
