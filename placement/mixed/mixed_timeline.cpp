#include "placement/mixed/mixed_timeline.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

/// The passes of a class's pipeline, chunk by chunk.
StepPipeline class_pipeline(const MixedContext& c, const Strategy& s, const PipelineClass& one,
                            const TypeBlocks& blocks) {
  const Job job = class_job(c.job, s, one);
  StepPipeline step{.pipeline = {.schedule = s.schedule,
                                 .ranks = s.pp,
                                 .interleave = s.interleave,
                                 .micro_batches = one.micro_batches,
                                 .hop = slowest_hop(c, s, blocks.shapes, one),
                                 .hop_blocks = !s.pp_overlap}};
  const int chunks = s.pp * s.interleave;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int type = one.types[static_cast<std::size_t>(chunk % s.pp)];
    const RankPass pass =
        pass_over(s, blocks.blocks[static_cast<std::size_t>(type)],
                  chunk_layers(job.model, s, chunk), stage_ends(job.model, s, chunk, chunks));
    step.chunks.push_back(pass_times(c.of(job, type), pass));
    step.forward.push_back(pass.forward);
    step.backward.push_back(pass.backward);
  }
  return step;
}

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
