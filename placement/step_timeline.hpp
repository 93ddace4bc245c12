#pragma once

#include <span>
#include <vector>

#include "collectives/executor.hpp"
#include "placement/step.hpp"

namespace railyard::placement {

/// Something that a pipeline rank does in a step.
struct StepEvent {
  int stage = 0;
  bool computes = true;    ///< on the compute stream, else on that of communication
  const char* what = "F";  ///< F, B, W; tp, cp, ep, send, gradients, optimizer, offload
  int micro_batch = -1;    ///< -1: of the whole step
  int chunk = -1;
  Time begin{}, end{};
  int pipeline = -1;  ///< which class of replicas; -1: they are all alike
};

/// What a pipeline's passes are as events, in the order of the passes.
void add_passes(const StepPipeline& step, const Strategy& strategy, const PipelineRun& run,
                std::vector<StepEvent>& events);
/// What every stage does once all passes are done, at `from`.
void add_after(const StepCost& cost, int stages, Time from, std::vector<StepEvent>& events);
/// By pipeline, stage and time.
void sort_events(std::vector<StepEvent>& events);
/// Of m micro-batches so many as are shown of at most `most` (0: any), in multiples of the stages.
[[nodiscard]] int shown_micro_batches(int m, int most, int stages);

/// A step pass by pass: run_pipeline's passes, each with its computation in front and what of its
/// collectives nothing hides behind that; sends between stages; and after the last pass gradients,
/// optimizer and offloading (of the slowest stage, for all). `micro_batches` 0: all of the job's,
/// else so many at most (in multiples of pp), to see the shape of a long step. Ordered by stage,
/// then by time. Throws InputError for schedules that are known by formula alone (dualpipe).
[[nodiscard]] std::vector<StepEvent> step_timeline(const CostContext& context,
                                                   const Strategy& strategy, int micro_batches = 0);

/// The events for a trace: a process per stage (and class of replicas) with a track per stream.
[[nodiscard]] std::vector<collectives::TimelineEvent> trace_events(
    std::span<const StepEvent> events);

}  // namespace railyard::placement
