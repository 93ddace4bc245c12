#include "placement/mixed/mixed_timeline.hpp"

#include <algorithm>

#include "placement/mixed/mixed_run.hpp"

namespace railyard::placement {
namespace {

/// Of a class's micro-batches the part that is shown of the most that a class has.
int shown(const PipelineClass& one, int most, int shown_of_most, const Strategy& s) {
  const int part = one.micro_batches * shown_of_most / most;
  if (shown_of_most == most) return one.micro_batches;
  return s.interleave > 1 ? std::max(s.pp, part / s.pp * s.pp) : std::max(1, part);
}

}  // namespace

std::vector<StepEvent> mixed_timeline(const MixedContext& c, const MixedStrategy& mixed,
                                      int micro_batches) {
  const Strategy& s = mixed.strategy;
  const TypeBlocks blocks = type_blocks(c, s);
  int most = 0;
  for (const PipelineClass& one : mixed.classes) most = std::max(most, one.micro_batches);
  const int of_most = shown_micro_batches(most, micro_batches, s);
  std::vector<std::vector<StepEvent>> by_class;
  Time last;
  for (const PipelineClass& one : mixed.classes) {
    StepPipeline step = class_pipeline(c, s, one, blocks);
    step.pipeline.micro_batches = shown(one, most, of_most, s);
    const PipelineRun run = run_pipeline(step.pipeline, step.chunks);
    last = std::max(last, run.total);
    add_passes(step, run, by_class.emplace_back());
  }
  const StepCost cost = mixed_cost(c, mixed, blocks).step;
  std::vector<StepEvent> events;
  for (std::size_t k = 0; k < by_class.size(); ++k) {
    add_after(cost, s.pp, last, by_class[k]);
    for (StepEvent& event : by_class[k]) {
      if (by_class.size() > 1) event.pipeline = static_cast<int>(k);
      events.push_back(event);
    }
  }
  sort_events(events);
  return events;
}

}  // namespace railyard::placement
