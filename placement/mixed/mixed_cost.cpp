#include "placement/mixed/mixed_cost.hpp"

#include <algorithm>
#include <set>

#include "placement/cost/data_parallel.hpp"
#include "placement/model/flops.hpp"

namespace railyard::placement {
namespace {

/// Answers for one type: collectives over replicas that lie on several types take as long as on the
/// slowest of them.
class OverTypes final : public CommunicationModel {
 public:
  OverTypes(const MixedContext& context, std::span<const GroupShapes> shapes, int own,
            std::set<int> types)
      : c_(context),
        shapes_(shapes),
        own_(static_cast<std::size_t>(own)),
        types_(std::move(types)) {}

  Time time(const GroupCollective& collective) const override {
    Time slowest = c_.communication[own_]->time(collective);
    if (!connects_replicas(collective.role)) return slowest;
    for (const int type : types_) {
      const auto t = static_cast<std::size_t>(type);
      GroupCollective there = collective;
      there.shape = shapes_[t][collective.role];
      if (t != own_) slowest = std::max(slowest, c_.communication[t]->time(there));
    }
    return slowest;
  }

 private:
  const MixedContext& c_;
  std::span<const GroupShapes> shapes_;
  std::size_t own_;
  std::set<int> types_;
};

/// Types that hold stage `stage` in any class, and the last, with which the first sums embeddings.
std::set<int> types_of_stage(const MixedStrategy& mixed, std::size_t stage) {
  std::set<int> types;
  for (const PipelineClass& one : mixed.classes) {
    types.insert(one.types[stage]);
    if (stage == 0) types.insert(one.types.back());
  }
  return types;
}

struct ClassRun {
  Time total{};
  std::size_t slowest = 0;
  std::vector<RankPass> passes{};
  std::vector<ChunkTimes> times{};
  Pipeline pipeline{};
};

ClassRun run_class(const MixedContext& c, const Strategy& s, const PipelineClass& one,
                   const TypeBlocks& blocks) {
  const Job job = class_job(c.job, s, one);
  ClassRun run{.pipeline = pipeline_of(c, s, blocks.shapes, one)};
  for (std::size_t i = 0; i < one.types.size(); ++i) {
    const CostContext context = c.of(job, one.types[i]);
    const auto type = static_cast<std::size_t>(one.types[i]);
    run.passes.push_back(rank_pass(context, s, blocks.blocks[type], static_cast<int>(i)));
    run.times.push_back(pass_times(context, run.passes.back()));
    const auto both = [&](std::size_t j) { return run.times[j].forward + run.times[j].backward; };
    if (both(i) > both(run.slowest)) run.slowest = i;
  }
  run.total = pipeline_time(run.pipeline, run.times);
  return run;
}

/// What `ask` says of a stage whose replicas may lie on several types.
template <typename Ask>
auto with_ring(const MixedContext& c, const MixedStrategy& mixed, const PipelineClass& one,
               const TypeBlocks& blocks, std::size_t stage, Ask&& ask) {
  const auto type = static_cast<std::size_t>(one.types[stage]);
  const Job job = class_job(c.job, mixed.strategy, one);
  const OverTypes over(c, blocks.shapes, one.types[stage], types_of_stage(mixed, stage));
  const CostContext context = c.of(job, one.types[stage]);
  const CostContext ring{.job = job,
                         .gpu = context.gpu,
                         .communication = over,
                         .gpus_per_node = context.gpus_per_node,
                         .order = context.order};
  return ask(ring, blocks.shapes[type]);
}

/// The longest that follows the passes on any type of a class: at its slowest stage.
ReplicaCost behind(const MixedContext& c, const MixedStrategy& mixed, const PipelineClass& one,
                   const ClassRun& run, const TypeBlocks& blocks) {
  std::vector<std::size_t> slowest(c.types.size(), one.types.size());
  for (std::size_t i = 0; i < one.types.size(); ++i) {
    auto& most = slowest[static_cast<std::size_t>(first_alike(c.types, one.types[i]))];
    const auto both = [&](std::size_t j) { return run.times[j].forward + run.times[j].backward; };
    if (most == one.types.size() || both(i) > both(most)) most = i;
  }
  ReplicaCost longest;
  for (const std::size_t stage : slowest) {
    if (stage == one.types.size()) continue;
    const ReplicaCost cost = with_ring(
        c, mixed, one, blocks, stage, [&](const CostContext& ring, const GroupShapes& shapes) {
          return replica_cost(ring, mixed.strategy, shapes, run.times[stage],
                              static_cast<int>(stage));
        });
    const auto sum = [](const ReplicaCost& r) { return r.exposed + r.optimizer + r.offload; };
    if (sum(cost) > sum(longest)) longest = cost;
  }
  return longest;
}

/// Where the slowest class's slowest stage spends its time.
StepCost parts_of(const PipelineClass& one, const ClassRun& run) {
  const int m = one.micro_batches;
  const ChunkTimes& times = run.times[run.slowest];
  const RankPass& pass = run.passes[run.slowest];
  PassCost both = pass.forward;
  both += pass.backward;
  StepCost cost{.tp = both.tp * m, .ep = both.ep * m, .cp = both.cp * m};
  cost.host_bound = times.forward > pass.forward.total();
  cost.compute = (times.forward + times.backward) * m - cost.tp - cost.cp - cost.ep;
  Pipeline at_once = run.pipeline;
  at_once.hop = Time();
  cost.pp = run.total - pipeline_time(at_once, run.times);
  cost.bubble = run.total - cost.compute - cost.tp - cost.cp - cost.ep - cost.pp;
  return cost;
}

/// Of each type's slowest stage so far (`busiest`, all its passes) what it computes.
void add_computing(const PipelineClass& one, const ClassRun& run, std::vector<Time>& busiest,
                   MixedScored& scored) {
  for (std::size_t i = 0; i < one.types.size(); ++i) {
    const auto type = static_cast<std::size_t>(one.types[i]);
    const Time both = run.times[i].forward + run.times[i].backward;
    if (both * one.micro_batches <= busiest[type]) continue;
    busiest[type] = both * one.micro_batches;
    const auto exposed = [](const PassCost& pass) { return pass.tp + pass.cp + pass.ep; };
    scored.computing[type] =
        (both - exposed(run.passes[i].forward) - exposed(run.passes[i].backward)) *
        one.micro_batches;
  }
}

/// The fullest GPU for its size.
void add_memory(const MixedContext& c, MixedScored& scored) {
  const Strategy& s = scored.mixed.strategy;
  double most = -1;
  scored.fits = true;
  for (const PipelineClass& one : scored.mixed.classes) {
    const Job job = class_job(c.job, s, one);
    for (std::size_t i = 0; i < one.types.size(); ++i) {
      const GpuType& type = c.types[static_cast<std::size_t>(one.types[i])];
      const MemoryParts parts =
          stage_memory(job, s, static_cast<int>(i), type.gpu.compute().reserved);
      const double full = static_cast<double>(parts.total().count()) /
                          static_cast<double>(type.gpu.gpu.memory.count());
      scored.fits = scored.fits && parts.total() <= type.gpu.gpu.memory;
      if (full <= most) continue;
      most = full;
      scored.memory = parts;
      scored.fullest = one.types[i];
    }
  }
}

}  // namespace

CostContext MixedContext::of(const Job& its_job, int type) const {
  const auto t = static_cast<std::size_t>(type);
  return {.job = its_job,
          .gpu = types[t].gpu,
          .communication = *communication[t],
          .gpus_per_node = types[t].gpus_per_node(),
          .order = order};
}

std::vector<GroupShapes> type_shapes(const MixedContext& c, const Strategy& s) {
  std::vector<GroupShapes> shapes;
  for (const GpuType& type : c.types) {
    const int nodes_of = type.gpus_per_node();
    const auto same = std::ranges::find_if(
        c.types, [&](const GpuType& other) { return other.gpus_per_node() == nodes_of; });
    const auto at = static_cast<std::size_t>(same - c.types.begin());
    shapes.push_back(at < shapes.size() ? shapes[at] : group_shapes(s, c.order, nodes_of));
  }
  return shapes;
}

TypeBlocks type_blocks(const MixedContext& c, const Strategy& s) {
  TypeBlocks result{.shapes = type_shapes(c, s)};
  for (std::size_t t = 0; t < c.types.size(); ++t)
    result.blocks.push_back(block_costs(c.of(c.job, static_cast<int>(t)), s, result.shapes[t]));
  return result;
}

Job class_job(const Job& job, const Strategy& s, const PipelineClass& one) {
  Job its = job;
  its.batch = one.micro_batches * s.dp * s.micro_batch;
  return its;
}

Time slowest_hop(const MixedContext& c, const Strategy& s, std::span<const GroupShapes> shapes,
                 const PipelineClass& one) {
  Time slowest;
  for (std::size_t i = 0; i + 1 < one.types.size(); ++i) {
    const bool changes = one.types[i] != one.types[i + 1];
    if (!changes && i > 0 && one.types[i - 1] == one.types[i]) continue;
    for (const int type : {one.types[i], one.types[i + 1]}) {
      GroupShape pair = shapes[static_cast<std::size_t>(type)].pp;
      // Types are never in one node.
      if (changes && pair.nodes() == 1) pair.per_node = 1;
      slowest = std::max(slowest, hop_time(c.of(c.job, type), s, pair));
    }
  }
  return slowest;
}

Pipeline pipeline_of(const MixedContext& c, const Strategy& s, std::span<const GroupShapes> shapes,
                     const PipelineClass& one) {
  return {.schedule = s.schedule,
          .ranks = s.pp,
          .interleave = s.interleave,
          .micro_batches = one.micro_batches,
          .hop = slowest_hop(c, s, shapes, one),
          .hop_blocks = !s.pp_overlap};
}

MixedScored mixed_cost(const MixedContext& c, const MixedStrategy& mixed,
                       const TypeBlocks& blocks) {
  MixedScored scored{.mixed = mixed};
  scored.computing.resize(c.types.size());
  std::vector<Time> busiest(c.types.size());
  Time longest;
  ReplicaCost tail;
  for (const PipelineClass& one : mixed.classes) {
    const ClassRun run = run_class(c, mixed.strategy, one, blocks);
    const ReplicaCost cost = behind(c, mixed, one, run, blocks);
    const auto sum = [](const ReplicaCost& r) { return r.exposed + r.optimizer + r.offload; };
    if (sum(cost) > sum(tail)) tail = cost;
    add_computing(one, run, busiest, scored);
    if (run.total <= longest) continue;
    longest = run.total;
    scored.step = parts_of(one, run);
  }
  scored.step.dp = tail.exposed;
  scored.step.optimizer = tail.optimizer;
  scored.step.offload = tail.offload;
  scored.step.total = longest + tail.exposed + tail.optimizer + tail.offload;
  add_memory(c, scored);
  return scored;
}

ReplicaWork mixed_work(const MixedContext& c, const MixedStrategy& mixed, const PipelineClass& one,
                       const TypeBlocks& blocks, int stage) {
  return with_ring(c, mixed, one, blocks, static_cast<std::size_t>(stage),
                   [&](const CostContext& ring, const GroupShapes& shapes) {
                     return replica_work(ring, mixed.strategy, shapes, stage);
                   });
}

std::vector<StageUse> stage_uses(const MixedContext& c, const MixedStrategy& mixed,
                                 const TypeBlocks& blocks) {
  std::vector<StageUse> uses;
  const Strategy& s = mixed.strategy;
  for (std::size_t k = 0; k < mixed.classes.size(); ++k) {
    const PipelineClass& one = mixed.classes[k];
    const Job job = class_job(c.job, s, one);
    const ClassRun run = run_class(c, s, one, blocks);
    for (std::size_t i = 0; i < one.types.size(); ++i) {
      const GpuType& type = c.types[static_cast<std::size_t>(one.types[i])];
      const int stage = static_cast<int>(i);
      uses.push_back({.pipeline = static_cast<int>(k),
                      .stage = stage,
                      .type = one.types[i],
                      .layers = stage_layers(c.job.model, s, stage).total(),
                      .pass = run.times[i].forward + run.times[i].backward,
                      .memory = stage_memory(job, s, stage, type.gpu.compute().reserved)});
    }
  }
  return uses;
}

double mfu(const MixedContext& c, const MixedScored& scored) {
  double peaks = 0;
  const std::vector<int> used = gpus_used(scored.mixed, c.types.size());
  for (std::size_t t = 0; t < used.size(); ++t)
    peaks += used[t] * static_cast<double>(peak(c.types[t].gpu, c.job.precision).per_second());
  return step_flops(c.job) / (scored.step.total.seconds() * peaks);
}

std::vector<int> gpus_used(const MixedStrategy& mixed, std::size_t types) {
  std::vector<int> used(types, 0);
  const int block = mixed.strategy.tp * mixed.strategy.cp;
  for (const PipelineClass& one : mixed.classes)
    for (const int type : one.types) used[static_cast<std::size_t>(type)] += one.replicas * block;
  return used;
}

}  // namespace railyard::placement
