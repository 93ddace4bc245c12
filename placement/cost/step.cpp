#include "placement/cost/step.hpp"

#include <algorithm>

#include "placement/cost/activations.hpp"
#include "placement/cost/data_parallel.hpp"
#include "placement/cost/encoder_cost.hpp"
#include "placement/cost/ring_over_types.hpp"
#include "placement/cost/tower_cost.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

/// Time of one class's pipeline by formula, and its slowest stage.
struct ClassTime {
  Time total{};
  std::size_t slowest = 0;
  RankPass bound{};                 ///< passes of the slowest stage
  std::vector<ChunkTimes> times{};  ///< by stage
  Pipeline pipeline{};
  [[nodiscard]] Time both(std::size_t stage) const {
    return times[stage].forward + times[stage].backward;
  }
};

ClassTime time_of_class(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                        const ByType<BlockCosts>& blocks, const PipelineClass& one) {
  ClassTime its{.pipeline = pipeline_of(c, s, shapes, one)};
  const auto stages = static_cast<std::size_t>(s.pp);
  its.times.reserve(stages);
  for (std::size_t i = 0; i < stages; ++i) {
    const int stage = static_cast<int>(i), type = one.type_of(stage);
    const RankPass pass = rank_pass(c.on(type), s, blocks.on(type), stage);
    its.times.push_back(pass_times(c.on(type), pass));
    if (i > 0 && its.both(i) <= its.both(its.slowest)) continue;
    its.slowest = i;
    its.bound = pass;
  }
  its.total = pipeline_time(its.pipeline, its.times);
  return its;
}

/// Calls `ask` with the context of a stage whose replicas may be on several types.
template <typename Ask>
auto with_stage_context(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                        const PipelineClass& one, int stage, Ask&& ask) {
  const int own = one.type_of(stage);
  if (c.types.size() == 1) return ask(c.on(own), shapes.on(own));
  const std::vector<int> types = types_of_stage(s, stage);
  const RingOverTypes ring(c, shapes, own, types);
  const TypeContext& type = c.on(own);
  return ask(TypeContext{.job = type.job,
                         .gpu = type.gpu,
                         .communication = ring,
                         .gpus_per_node = type.gpus_per_node,
                         .order = type.order,
                         .products = type.products},
             shapes.on(own));
}

Time sum(const ReplicaCost& r) { return r.exposed + r.optimizer + r.offload; }

/// Work after the passes of a class: the maximum over the slowest stage of each kind of GPU.
ReplicaCost work_after_passes(const CostContext& c, const Strategy& s,
                              const ByType<GroupShapes>& shapes, const PipelineClass& one,
                              const ClassTime& its) {
  const auto at = [&](std::size_t stage) {
    return with_stage_context(c, s, shapes, one, static_cast<int>(stage),
                              [&](const TypeContext& ring, const GroupShapes& own) {
                                return replica_cost(ring, s, own, its.times[stage],
                                                    static_cast<int>(stage), one.micro_batches);
                              });
  };
  if (c.types.size() == 1) return at(its.slowest);
  std::vector<std::size_t> slowest(c.types.size(), its.times.size());
  for (std::size_t i = 0; i < its.times.size(); ++i) {
    const int kind = c.on(one.type_of(static_cast<int>(i))).kind;
    std::size_t& most = slowest[static_cast<std::size_t>(kind)];
    if (most == its.times.size() || its.both(i) > its.both(most)) most = i;
  }
  ReplicaCost longest;
  for (const std::size_t stage : slowest) {
    if (stage == its.times.size()) continue;
    const ReplicaCost cost = at(stage);
    if (sum(cost) > sum(longest)) longest = cost;
  }
  return longest;
}

/// The parts of a step on the slowest stage of a class.
StepCost parts_of(const PipelineClass& one, const ClassTime& its) {
  const int m = one.micro_batches;
  const ChunkTimes& times = its.times[its.slowest];
  PassCost both = its.bound.forward;
  both += its.bound.backward;
  StepCost cost{.tp = both.tp * m, .ep = both.ep * m, .cp = both.cp * m};
  cost.host_bound = times.forward > its.bound.forward.total();
  cost.compute = (times.forward + times.backward) * m - cost.tp - cost.cp - cost.ep;
  if (its.pipeline.ranks > 1) {
    Pipeline at_once = its.pipeline;
    at_once.hop = Time();
    cost.pp = its.total - pipeline_time(at_once, its.times);
  }
  cost.bubble = its.total - cost.compute - cost.tp - cost.cp - cost.ep - cost.pp;
  return cost;
}

/// Updates `computing`, the computation of each type's slowest stage in a step. `busiest`: total
/// time of that stage.
void add_computing(const CostContext& c, const Strategy& s, const ByType<BlockCosts>& blocks,
                   const PipelineClass& one, const ClassTime& its, std::vector<Time>& busiest,
                   std::vector<Time>& computing) {
  for (std::size_t i = 0; i < its.times.size(); ++i) {
    const int stage = static_cast<int>(i), type = one.type_of(stage);
    Time& most = busiest[static_cast<std::size_t>(type)];
    const Time all = its.both(i) * one.micro_batches;
    if (all <= most) continue;
    most = all;
    const auto exposed = [](const PassCost& pass) { return pass.tp + pass.cp + pass.ep; };
    const RankPass pass = rank_pass(c.on(type), s, blocks.on(type), stage);
    computing[static_cast<std::size_t>(type)] =
        (its.both(i) - exposed(pass.forward) - exposed(pass.backward)) * one.micro_batches;
  }
}

/// If the host launches the kernels of layers more slowly than the GPU runs them, the GPU is idle
/// when embedding and head start. Their computation then follows the launches instead of
/// overlapping with them. This is modelled by a number of kernels whose launches take as long. If
/// layers are bound by the GPU, max(GPU, launches) hides these launches.
void add_launch_bound_kernels(const TypeContext& c, LayerCost& end) {
  const Time launch = c.gpu.compute().launch;
  if (launch <= Time() || c.job.blocking_launches) return;
  for (PassCost* pass : {&end.forward, &end.backward})
    pass->kernels = std::max(pass->kernels,
                             static_cast<int>(pass->total().picoseconds() / launch.picoseconds()));
}

}  // namespace

BlockCosts block_costs(const TypeContext& c, const Strategy& s, const GroupShapes& shapes) {
  BlockCosts blocks{.embedding = embedding_cost(c, s, shapes), .head = head_cost(c, s, shapes)};
  const int sparse = c.job.model.moe_layers();
  if (sparse < c.job.model.layers) blocks.dense = layer_cost(c, s, shapes, false);
  if (sparse > 0) blocks.sparse = layer_cost(c, s, shapes, true);
  if (c.job.has_edges()) {
    if (sparse < c.job.model.layers) blocks.edge_dense = layer_cost(c, s, shapes, false, true);
    if (sparse > 0) blocks.edge_sparse = layer_cost(c, s, shapes, true, true);
  }
  if (!c.job.model.towers.empty()) {
    blocks.tower = tower_cost(c, s, shapes);
    blocks.projector = projector_cost(c, s, shapes);
  }
  if (c.job.model.encoder) blocks.tower = encoder_cost(c, s, shapes);
  add_launch_bound_kernels(c, blocks.embedding);
  add_launch_bound_kernels(c, blocks.head);
  return blocks;
}

std::vector<GroupShapes> type_shapes(const CostContext& c, const Strategy& s) {
  std::vector<GroupShapes> shapes;
  for (std::size_t t = 0; t < c.types.size(); ++t) {
    const int gpus_per_node = c.types[t].gpus_per_node;
    const auto same =
        std::ranges::find(c.types, gpus_per_node, &TypeContext::gpus_per_node) - c.types.begin();
    const auto known = static_cast<std::size_t>(same);
    shapes.push_back(known < t ? shapes[known] : group_shapes(s, c.order, gpus_per_node));
  }
  return shapes;
}

TypeBlocks type_blocks(const CostContext& c, const Strategy& s) {
  TypeBlocks result{.shapes = type_shapes(c, s)};
  for (std::size_t t = 0; t < c.types.size(); ++t)
    result.blocks.push_back(block_costs(c.types[t], s, result.shapes[t]));
  return result;
}

Time slowest_hop(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                 const PipelineClass& one) {
  if (s.pp == 1) return Time();
  if (one.is_pure()) {
    const int type = one.type_of(0);
    return hop_time(c.on(type), s, shapes.on(type).pp);
  }
  Time slowest;
  for (std::size_t i = 0; i + 1 < one.types.size(); ++i) {
    const bool changes = one.types[i] != one.types[i + 1];
    if (!changes && i > 0 && one.types[i - 1] == one.types[i]) continue;
    for (const int type : {one.types[i], one.types[i + 1]}) {
      GroupShape pair = shapes.on(type).pp;
      // Different types are never on one node.
      if (changes && pair.nodes() == 1) pair.per_node = 1;
      slowest = std::max(slowest, hop_time(c.on(type), s, pair));
    }
  }
  return slowest;
}

Pipeline pipeline_of(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                     const PipelineClass& one) {
  return {.schedule = s.schedule,
          .ranks = s.pp,
          .interleave = s.interleave,
          .micro_batches = one.micro_batches,
          .hop = slowest_hop(c, s, shapes, one),
          .hop_blocks = !s.pp_overlap};
}

StepPipeline step_pipeline(const CostContext& c, const Strategy& s,
                           const ByType<GroupShapes>& shapes, const ByType<BlockCosts>& blocks,
                           const PipelineClass& one) {
  StepPipeline step{.pipeline = pipeline_of(c, s, shapes, one)};
  const int chunks = s.pp * s.interleave;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int type = one.type_of(chunk % s.pp);
    const RankPass pass = pass_over(s, blocks.on(type), chunk_layers(c.job, s, chunk),
                                    stage_ends(c.job.model, s, chunk, chunks));
    step.chunks.push_back(pass_times(c.on(type), pass));
    step.forward.push_back(pass.forward);
    step.backward.push_back(pass.backward);
  }
  return step;
}

StepCost step_cost(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                   const ByType<BlockCosts>& blocks, std::vector<Time>* computing) {
  std::vector<Time> busiest;
  if (computing != nullptr) {
    busiest.resize(c.types.size());
    computing->assign(c.types.size(), Time());
  }
  Time longest;
  ReplicaCost tail;
  StepCost cost;
  const ReplicaClasses classes(c.job.batch, s);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const PipelineClass& one = classes[k];
    const ClassTime its = time_of_class(c, s, shapes, blocks, one);
    const ReplicaCost behind = work_after_passes(c, s, shapes, one, its);
    if (sum(behind) > sum(tail)) tail = behind;
    if (computing != nullptr) add_computing(c, s, blocks, one, its, busiest, *computing);
    if (its.total <= longest) continue;
    longest = its.total;
    cost = parts_of(one, its);
  }
  cost.dp = tail.exposed;
  cost.optimizer = tail.optimizer;
  cost.offload = tail.offload;
  cost.total = longest + cost.dp + cost.optimizer + cost.offload;
  return cost;
}

ReplicaWork stage_work(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                       const PipelineClass& one, int stage) {
  return with_stage_context(c, s, shapes, one, stage,
                            [&](const TypeContext& ring, const GroupShapes& own) {
                              return replica_work(ring, s, own, stage);
                            });
}

std::vector<StageUse> stage_uses(const CostContext& c, const Strategy& s,
                                 const ByType<BlockCosts>& blocks) {
  std::vector<StageUse> uses;
  const ReplicaClasses classes(c.job.batch, s);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const PipelineClass& one = classes[k];
    for (int stage = 0; stage < s.pp; ++stage) {
      const int type = one.type_of(stage);
      const TypeContext& on = c.on(type);
      const ChunkTimes times = pass_times(on, rank_pass(on, s, blocks.on(type), stage));
      uses.push_back(
          {.pipeline = static_cast<int>(k),
           .stage = stage,
           .type = type,
           .layers = stage_layers(c.job.model, s, stage).total(),
           .pass = times.forward + times.backward,
           .memory = stage_memory(c.job, s, stage, memory_traits(on.gpu), one.micro_batches)});
    }
  }
  return uses;
}

}  // namespace railyard::placement
