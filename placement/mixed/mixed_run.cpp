#include "placement/mixed/mixed_run.hpp"

#include <algorithm>
#include <vector>

namespace railyard::placement {
namespace {

StepParts class_parts(const MixedContext& c, const MixedStrategy& mixed, const PipelineClass& one,
                      const TypeBlocks& blocks) {
  StepParts parts{.step = class_pipeline(c, mixed.strategy, one, blocks)};
  for (int stage = 0; stage < mixed.strategy.pp; ++stage) {
    const auto type = static_cast<std::size_t>(one.types[static_cast<std::size_t>(stage)]);
    parts.work.push_back(mixed_work(c, mixed, one, blocks, stage));
    parts.share.push_back(c.types[type].gpu.compute().communication_share);
  }
  return parts;
}

}  // namespace

StepPipeline class_pipeline(const MixedContext& c, const Strategy& s, const PipelineClass& one,
                            const TypeBlocks& blocks) {
  const Job job = class_job(c.job, s, one);
  StepPipeline step{.pipeline = pipeline_of(c, s, blocks.shapes, one)};
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

StepCost run_mixed_cost(const MixedContext& c, const MixedStrategy& mixed,
                        const TypeBlocks& blocks) {
  std::vector<StepParts> classes;
  for (const PipelineClass& one : mixed.classes)
    classes.push_back(class_parts(c, mixed, one, blocks));
  return cost_by_runs(mixed_cost(c, mixed, blocks).step, [&](const StepWithout& without) {
    Time reduced, update;
    for (const StepParts& parts : classes) {
      const StepRun run = run_parts(c.job.model, mixed.strategy, parts, 0, without);
      reduced = std::max(reduced, run.reduced);
      update = std::max(update, run.total - run.reduced);
    }
    return reduced + update;
  });
}

}  // namespace railyard::placement
