#pragma once

#include <span>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "placement/simulate/step_run.hpp"

namespace railyard::placement {

/// The stream of an event: computation of passes, collectives that passes wait for, messages to the
/// next and to the previous stage, collectives over replicas.
enum class StepStream { compute, communication, send_next, send_back, replicas };
[[nodiscard]] const char* name_of(StepStream stream);

/// An event of a pipeline rank in a step.
struct StepEvent {
  int stage = 0;
  StepStream stream = StepStream::compute;
  const char* what = "F";  ///< F, B, W; tp, cp, ep, send, gradients, weights, optimizer, offload
  int micro_batch = -1;    ///< -1: whole step
  int chunk = -1;
  Time begin{}, end{};
  int pipeline = -1;  ///< index of the class of replicas; -1: there is one class
};

/// The events of a step, by class of replicas, stage and time. A pass is its computation followed
/// by the exposed part of its collectives.
[[nodiscard]] std::vector<StepEvent> step_timeline(const StepRun& run);
/// The timeline of a strategy, computed by run_step with the context's collectives.
/// `micro_batches`: maximum number; 0: all.
[[nodiscard]] std::vector<StepEvent> step_timeline(const CostContext& context,
                                                   const Strategy& strategy, int micro_batches = 0);

/// The events for a trace: one track per stream of a stage (and class of replicas).
[[nodiscard]] std::vector<collectives::TimelineEvent> trace_events(
    std::span<const StepEvent> events);

}  // namespace railyard::placement
