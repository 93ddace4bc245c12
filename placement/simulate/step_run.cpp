#include "placement/simulate/step_run.hpp"

#include <algorithm>
#include <utility>

#include "placement/model/encoder.hpp"

namespace railyard::placement {
namespace {

/// The collectives over replicas of every chunk: of its stage's, its layers' share.
ReplicaStream replica_stream(const Model& model, const Strategy& s, const StepParts& parts) {
  ReplicaStream stream{.overlaps = s.dp_overlap, .every_pass = s.zero >= 2};
  const int chunks = s.pp * s.interleave;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const auto stage = static_cast<std::size_t>(chunk % s.pp);
    const int layers = chunk_layers(model, s, chunk).total();
    const int of = stage_layers(model, s, static_cast<int>(stage)).total();
    const double share = of > 0 ? static_cast<double>(layers) / of : 1.0 / s.interleave;
    const auto part = [&](Time time) { return Time::from_seconds(time.seconds() * share); };
    // ZeRO 2 gathers weights once a step.
    const ReplicaWork& work = parts.work[stage];
    const bool once = s.zero == 2;
    stream.chunks.push_back({.gather = once ? Time() : part(work.gather),
                             .reduce = part(work.reduce),
                             .copies = part(once ? work.copies + work.gather : work.copies),
                             .buckets = std::max(1, layers),
                             .share = parts.share[stage]});
  }
  return stream;
}

/// A pass takes no less than what it moves to or from the host.
void wait_for_host(const Strategy& s, const std::vector<ReplicaWork>& work,
                   std::vector<ChunkTimes>& chunks) {
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    const ReplicaWork& stage = work[chunk % static_cast<std::size_t>(s.pp)];
    const auto each = [&](Time time) {
      return Time::picoseconds(time.picoseconds() / s.interleave);
    };
    chunks[chunk].forward = std::max(chunks[chunk].forward, each(stage.forward_host));
    chunks[chunk].backward = std::max(chunks[chunk].backward, each(stage.backward_host));
  }
}

/// When all ranks have their gradients.
Time all_reduced(const StepRun& r) {
  std::vector<Time> done = r.run.done;
  for (std::size_t rank = 0; rank < done.size(); ++rank)
    if (r.behind) done[rank] += r.work[rank].reduce;
  const auto first = static_cast<std::size_t>(r.first);
  done[first] = std::max(done[first], done.back()) + r.work[first].tied;
  return std::ranges::max(done);
}

/// The longest that a rank has to do behind the gradients.
Time update(const StepRun& r) {
  Time most;
  for (const ReplicaWork& w : r.work)
    most = std::max(most, w.optimizer + w.host + (r.behind ? w.gather : Time()));
  return most;
}

StepParts step_parts(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                     const Blocks& blocks) {
  StepParts parts{.step = step_pipeline(c, s, shapes, blocks)};
  for (int stage = 0; stage < s.pp; ++stage) {
    parts.work.push_back(replica_work(c, s, shapes, stage));
    parts.share.push_back(c.gpu.compute().communication_share);
  }
  return parts;
}

}  // namespace

int shown_micro_batches(int m, int most, const Strategy& s) {
  if (most <= 0) return m;
  const int least = s.schedule == PipelineSchedule::dualpipe ? 2 * s.pp : s.pp;
  return std::min(m, std::max(least, most / s.pp * s.pp));
}

StepRun run_parts(const Model& model, const Strategy& s, StepParts parts, int micro_batches,
                  const StepWithout& without) {
  for (ReplicaWork& work : parts.work) {
    if (without.replicas) work.gather = work.reduce = work.copies = work.tied = Time();
    if (without.host) work.host = work.forward_host = work.backward_host = Time();
  }
  Pipeline& pipeline = parts.step.pipeline;
  if (without.hops) pipeline.hop = Time();
  pipeline.micro_batches = shown_micro_batches(pipeline.micro_batches, micro_batches, s);
  wait_for_host(s, parts.work, parts.step.chunks);
  StepRun r{
      .run = run_pipeline(pipeline, parts.step.chunks,
                          without.replicas ? ReplicaStream{} : replica_stream(model, s, parts)),
      .first = reads_text(model) ? 0 : std::min(s.tower_stages, s.pp - 1),
      .behind = !s.dp_overlap && s.zero < 2};
  r.step = std::move(parts.step);
  r.work = std::move(parts.work);
  r.reduced = all_reduced(r);
  r.total = r.reduced + update(r);
  return r;
}

StepCost cost_by_runs(StepCost cost, const std::function<Time(const StepWithout&)>& total) {
  const Time whole = total({});
  const Time passes = total({.replicas = true});
  const Time still = cost.pp > Time() ? total({.replicas = true, .hops = true}) : passes;
  const Time at_home =
      cost.offload > Time() ? total({.replicas = true, .hops = true, .host = true}) : still;
  cost.total = whole;
  cost.dp = whole - passes;
  cost.pp = passes - still;
  cost.offload = still - at_home;
  const Time busy = cost.compute + cost.tp + cost.cp + cost.ep + cost.optimizer;
  cost.bubble = std::max(Time(), at_home - busy);
  // Rounding to picoseconds by chunk, and an update that another stage has more of.
  cost.compute += whole - busy - cost.dp - cost.pp - cost.offload - cost.bubble;
  return cost;
}

StepRun run_step(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                 const Blocks& blocks, int micro_batches) {
  return run_parts(c.job.model, s, step_parts(c, s, shapes, blocks), micro_batches);
}

StepCost run_step_cost(const CostContext& c, const Strategy& s, const GroupShapes& shapes,
                       const Blocks& blocks) {
  const StepParts parts = step_parts(c, s, shapes, blocks);
  return cost_by_runs(step_cost(c, s, shapes, blocks), [&](const StepWithout& without) {
    return run_parts(c.job.model, s, parts, 0, without).total;
  });
}

}  // namespace railyard::placement
