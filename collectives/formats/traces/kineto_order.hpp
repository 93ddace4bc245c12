#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/formats/traces/kineto_trace.hpp"

namespace railyard::collectives {

/// A host call or GPU event of a traced rank, and what it waited for.
struct KinetoStep {
  static constexpr std::uint32_t kHost = ~std::uint32_t{0};
  std::uint32_t gpu = kHost;  ///< index of a GPU event; kHost: a call of the host
  std::uint32_t call = 0;     ///< index of the call, if it is one
  /// Nanoseconds from the end of the last step that it waited for to its own begin: host time or
  /// launch latency.
  std::int64_t delay = 0;
  std::vector<std::uint32_t> after{};  ///< earlier steps, except the previous one of its stream
};

/// The steps of a rank in order of their begin.
struct KinetoOrder {
  std::vector<KinetoStep> steps;
  std::int64_t begin = 0, end = 0;   ///< of the trace, in nanoseconds
  std::uint64_t recorded_waits = 0;  ///< waits of streams that the profiler recorded
  std::uint64_t inferred_waits = 0;  ///< inferred from the order of calls or from times
  std::uint64_t contradicted = 0;    ///< waits that contradict the recorded times
  std::uint64_t without_launch = 0;  ///< GPU events without their launch call
};

/// Finds the dependencies in a trace.
///
/// The calls of all host threads form one stream in recorded order. A blocking call ends after the
/// GPU events that it waited for. A GPU event begins after its launch, after the previous event of
/// its stream, and after the events that its stream waits for. `delay` is the remaining recorded
/// time, so that the steps with their recorded durations reproduce the recorded times.
///
/// Newer profilers record waits of streams (cuda_sync). Without them, a cudaStreamWaitEvent is
/// matched with the next launch of its thread. An NCCL kernel, or a kernel on another stream than
/// the previous one, waits for the last kernel of the previous stream. Any other kernel waits for
/// the oldest NCCL kernel that nothing has waited for. Without cudaStreamWaitEvent, an NCCL kernel
/// waits for the last kernel launched before it. A launched kernel on an idle stream that begins
/// within 20 us after the end of a collective waits for that collective.
[[nodiscard]] KinetoOrder order_of_kineto(const KinetoTrace& trace);

}  // namespace railyard::collectives
