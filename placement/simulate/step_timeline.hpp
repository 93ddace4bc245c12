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

/// What a pipeline's passes are as events, each with its computation in front and what of its
/// collectives nothing hides behind that.
void add_passes(const StepPipeline& step, const PipelineRun& run, std::vector<StepEvent>& events);
/// What every stage does once all passes are done, at `from`.
void add_after(const StepCost& cost, int stages, Time from, std::vector<StepEvent>& events);
/// By pipeline, stage and time.
void sort_events(std::vector<StepEvent>& events);

/// What happens in a step, by stage and time.
[[nodiscard]] std::vector<StepEvent> step_timeline(const StepRun& run);
/// Of a strategy, run_step with the context's collectives; of `micro_batches` at most, 0 of all.
[[nodiscard]] std::vector<StepEvent> step_timeline(const CostContext& context,
                                                   const Strategy& strategy, int micro_batches = 0);

/// The events for a trace: a track for each stream of a stage (and class of replicas).
[[nodiscard]] std::vector<collectives::TimelineEvent> trace_events(
    std::span<const StepEvent> events);

}  // namespace railyard::placement
