#pragma once

#include <span>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "placement/simulate/step_run.hpp"

namespace railyard::placement {

/// Where something runs: what the passes of a stage compute, the collectives that they wait for,
/// messages to the stage behind and in front, collectives over replicas.
enum class StepStream { compute, communication, send_next, send_back, replicas };
[[nodiscard]] const char* name_of(StepStream stream);

/// Something that a pipeline rank does in a step.
struct StepEvent {
  int stage = 0;
  StepStream stream = StepStream::compute;
  const char* what = "F";  ///< F, B, W; tp, cp, ep, send, gradients, weights, optimizer, offload
  int micro_batch = -1;    ///< -1: of the whole step
  int chunk = -1;
  Time begin{}, end{};
  int pipeline = -1;  ///< which class of replicas; -1: they are all alike
};

/// What happens in a step, by class of replicas, stage and time. A pass is its computation, then
/// the part of its collectives that nothing hides. Events of a step with one class name no
/// pipeline.
[[nodiscard]] std::vector<StepEvent> step_timeline(const StepRun& run);
/// Of a strategy, run_step with the context's collectives; of `micro_batches` at most, 0 of all.
[[nodiscard]] std::vector<StepEvent> step_timeline(const CostContext& context,
                                                   const Strategy& strategy, int micro_batches = 0);

/// The events for a trace: a track for each stream of a stage (and class of replicas).
[[nodiscard]] std::vector<collectives::TimelineEvent> trace_events(
    std::span<const StepEvent> events);

}  // namespace railyard::placement
