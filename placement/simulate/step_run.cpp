#include "placement/simulate/step_run.hpp"

#include <algorithm>
#include <utility>

#include "placement/model/encoder.hpp"

namespace railyard::placement {
namespace {

/// Parts to omit from a run, to find how much time they add.
struct OmittedParts {
  bool replicas = false;  ///< collectives of gradients and weights
  bool hops = false;      ///< messages between stages
  bool host = false;      ///< offloading
};

/// The passes of a pipeline, and the work of its ranks outside passes.
struct StepParts {
  StepPipeline step{};
  std::vector<ReplicaWork> work{};  ///< by pipeline rank
  std::vector<double> share{};      ///< by pipeline rank: communication_share
};

/// The collectives over replicas of every chunk: its layers' fraction of the stage's.
ReplicaStream replica_stream(const Model& model, const Strategy& s, const StepParts& parts) {
  ReplicaStream stream{.overlaps = s.dp_overlap, .every_pass = s.zero >= 2};
  const int chunks = s.pp * s.interleave;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const auto stage = static_cast<std::size_t>(chunk % s.pp);
    const int layers = chunk_layers(model, s, chunk).total();
    const int of = stage_layers(model, s, static_cast<int>(stage)).total();
    const double share = of > 0 ? static_cast<double>(layers) / of : 1.0 / s.interleave;
    const auto part = [&](Time time) { return Time::from_seconds(time.seconds() * share); };
    // ZeRO 2 gathers weights once per step.
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

/// A pass takes at least as long as its transfers to or from the host.
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

/// Time at which all ranks have their reduced gradients.
Time all_reduced(const ClassRun& r) {
  std::vector<Time> done = r.run.done;
  for (std::size_t rank = 0; rank < done.size(); ++rank)
    if (r.behind) done[rank] += r.work[rank].reduce;
  const auto first = static_cast<std::size_t>(r.first);
  done[first] = std::max(done[first], done.back()) + r.work[first].tied;
  return std::ranges::max(done);
}

/// The longest work of a rank after the gradients are reduced.
Time update_of(const ClassRun& r) {
  Time most;
  for (const ReplicaWork& w : r.work)
    most = std::max(most, w.optimizer + w.host + (r.behind ? w.gather : Time()));
  return most;
}

/// The parts of a step, by class.
std::vector<StepParts> step_parts(const CostContext& c, const Strategy& s,
                                  const ByType<GroupShapes>& shapes,
                                  const ByType<BlockCosts>& blocks) {
  std::vector<StepParts> all;
  const ReplicaClasses classes(c.job.batch, s);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const PipelineClass& one = classes[k];
    StepParts& parts = all.emplace_back();
    parts.step = step_pipeline(c, s, shapes, blocks, one);
    for (int stage = 0; stage < s.pp; ++stage) {
      parts.work.push_back(stage_work(c, s, shapes, one, stage));
      parts.share.push_back(c.on(one.type_of(stage)).gpu.compute().communication_share);
    }
  }
  return all;
}

/// Micro-batches to run for a class, in proportion to those run for the class with the most.
int shown_of(int micro_batches, int most, int shown_of_most, const Strategy& s) {
  if (shown_of_most == most) return micro_batches;
  if (micro_batches == most) return shown_of_most;
  const int part = micro_batches * shown_of_most / most;
  return s.interleave > 1 ? std::max(s.pp, part / s.pp * s.pp) : std::max(1, part);
}

ClassRun run_class(const Model& model, const Strategy& s, StepParts parts,
                   const OmittedParts& without) {
  for (ReplicaWork& work : parts.work) {
    if (without.replicas) work.gather = work.reduce = work.copies = work.tied = Time();
    if (without.host) work.host = work.forward_host = work.backward_host = Time();
  }
  if (without.hops) parts.step.pipeline.hop = Time();
  wait_for_host(s, parts.work, parts.step.chunks);
  ClassRun r{
      .run = run_pipeline(parts.step.pipeline, parts.step.chunks,
                          without.replicas ? ReplicaStream{} : replica_stream(model, s, parts)),
      .first = reads_text(model) ? 0 : std::min(s.tower_stages, s.pp - 1),
      .behind = !s.dp_overlap && s.zero < 2};
  r.step = std::move(parts.step);
  r.work = std::move(parts.work);
  r.reduced = all_reduced(r);
  r.update = update_of(r);
  return r;
}

StepRun run_classes(const Model& model, const Strategy& s, const std::vector<StepParts>& parts,
                    const OmittedParts& without) {
  StepRun step;
  Time update;
  for (const StepParts& one : parts) {
    const ClassRun& r = step.classes.emplace_back(run_class(model, s, one, without));
    step.reduced = std::max(step.reduced, r.reduced);
    update = std::max(update, r.update);
  }
  step.total = step.reduced + update;
  return step;
}

}  // namespace

int shown_micro_batches(int m, int most, const Strategy& s) {
  if (most <= 0) return m;
  const int least = s.schedule == PipelineSchedule::dualpipe ? 2 * s.pp : s.pp;
  return std::min(m, std::max(least, most / s.pp * s.pp));
}

StepRun run_step(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                 const ByType<BlockCosts>& blocks, int micro_batches) {
  std::vector<StepParts> parts = step_parts(c, s, shapes, blocks);
  int most = 0;
  for (const StepParts& one : parts) most = std::max(most, one.step.pipeline.micro_batches);
  const int shown = shown_micro_batches(most, micro_batches, s);
  for (StepParts& one : parts) {
    int& count = one.step.pipeline.micro_batches;
    count = shown_of(count, most, shown, s);
  }
  return run_classes(c.job.model, s, parts, {});
}

StepCost run_step_cost(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                       const ByType<BlockCosts>& blocks) {
  const std::vector<StepParts> parts = step_parts(c, s, shapes, blocks);
  const auto total = [&](const OmittedParts& without) {
    return run_classes(c.job.model, s, parts, without).total;
  };
  StepCost cost = step_cost(c, s, shapes, blocks);
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
  // Rounding to picoseconds by chunk, and cases in which another stage has the longer update.
  cost.compute += whole - busy - cost.dp - cost.pp - cost.offload - cost.bubble;
  return cost;
}

}  // namespace railyard::placement
