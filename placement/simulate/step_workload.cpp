#include "placement/simulate/step_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "placement/simulate/stage_program.hpp"
#include "placement/simulate/step_run.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {
namespace {

using collectives::GroupFamily;
using collectives::NameTable;
using collectives::Workload;

std::string_view family_name(GroupRole role) {
  static constexpr std::array<std::string_view, kGroupRoles.size()> kNames{
      "tensor", "context",     "expert",       "pipeline",      "data",     "shard",
      "copies", "expert data", "expert shard", "expert copies", "embedding"};
  return kNames[static_cast<std::size_t>(role)];
}

/// Appends the collectives `times` times, in sequence.
void append(const std::vector<PassCollective>& from, int times, std::vector<PassCollective>& to) {
  for (int i = 0; i < times; ++i) to.insert(to.end(), from.begin(), from.end());
}

/// The collectives of a chunk's passes, in the order of the network; backward in reverse.
void add_collectives(const Strategy& s, const BlockCollectives& blocks, const ChunkLayers& layers,
                     const StageEnds& ends, ChunkPass& forward, ChunkPass& backward) {
  const int again =
      s.recompute_layers > 0 ? std::min(s.recompute_layers, layers.total()) : layers.total();
  const int dense_again = std::min(again, layers.dense);
  const int towers = ends.towers > 0 ? 1 : 0;
  auto& f = forward.collectives;
  append(blocks.tower.forward, towers, f);
  append(blocks.projector.forward, ends.projector ? 1 : 0, f);
  append(blocks.embedding.forward, ends.embedding ? 1 : 0, f);
  append(blocks.dense.forward, layers.dense, f);
  append(blocks.sparse.forward, layers.sparse, f);
  append(blocks.head.forward, ends.head ? 1 : 0, f);
  auto& b = backward.collectives;
  append(blocks.head.backward, ends.head ? 1 : 0, b);
  const auto layer = [&](const PassCollectives& block, int count, int repeated) {
    for (int i = 0; i < count; ++i) {
      if (i < repeated) append(block.recompute, 1, b);
      append(block.backward, 1, b);
    }
  };
  layer(blocks.sparse, layers.sparse, again - dense_again);
  layer(blocks.dense, layers.dense, dense_again);
  append(blocks.embedding.backward, ends.embedding ? 1 : 0, b);
  append(blocks.projector.backward, ends.projector ? 1 : 0, b);
  append(blocks.tower.recompute, towers, b);
  append(blocks.tower.backward, towers, b);
}

/// Messages between stages, from the order of all ranks' passes.
class Messages {
 public:
  Messages(const Pipeline& p, const std::vector<std::vector<PipelineSlot>>& orders)
      : p_(p), last_chunk_(p.ranks * p.interleave - 1), stages_(orders.size()) {
    each(orders, [&](int stage, const PipelineWork& work) { done_by_[key(work)] = stage; });
    each(orders, [&](int stage, const PipelineWork& work) { add(stage, work); });
  }
  [[nodiscard]] const StageMessages& of(int stage) const {
    return stages_[static_cast<std::size_t>(stage)];
  }

 private:
  using Pass = StageMessages::Pass;
  static Pass key(const PipelineWork& work) { return {work.kind, work.chunk, work.micro_batch}; }

  template <class Visit>
  static void each(const std::vector<std::vector<PipelineSlot>>& orders, Visit&& visit) {
    for (std::size_t stage = 0; stage < orders.size(); ++stage)
      for (const PipelineSlot& slot : orders[stage]) {
        visit(static_cast<int>(stage), slot.work);
        if (slot.beside) visit(static_cast<int>(stage), *slot.beside);
      }
  }

  void add(int stage, const PipelineWork& work) {
    const bool forward = work.kind == 'F';
    const int to = work.chunk + (forward ? 1 : -1);
    if (work.kind == 'W' || to < 0 || to > last_chunk_) return;
    const Pass next{work.kind, to, work.micro_batch};
    const int receiver = done_by_.at(next);
    if (receiver == stage) return;
    const bool other_way = p_.schedule == PipelineSchedule::dualpipe && work.chunk != stage;
    StageMessage message{.work = work, .peer = receiver, .toward_next = forward != other_way};
    message.tag = static_cast<std::uint32_t>(
        ((forward ? 0 : last_chunk_ + 1) + work.chunk) * p_.micro_batches + work.micro_batch);
    stages_[static_cast<std::size_t>(stage)].sends.emplace(key(work), message);
    StageMessages& its = stages_[static_cast<std::size_t>(receiver)];
    message.peer = stage;
    its.inputs.emplace(next, its.receives.size());
    its.receives.push_back(message);
  }

  const Pipeline& p_;
  int last_chunk_;
  std::map<Pass, int> done_by_;
  std::vector<StageMessages> stages_;
};

/// Builds the parts of the workload, class by class.
class StepBuilder {
 public:
  StepBuilder(const CostContext& c, const Strategy& s) : c_(c), s_(s), blocks_(type_blocks(c, s)) {
    parts_.ranks = static_cast<std::uint32_t>(s.gpus());
    const StrategyGroups groups = strategy_groups(s);
    for (const GroupRole role : kGroupRoles) add_family(role, groups[role]);
    everyone_ = static_cast<std::uint32_t>(parts_.families.size());
    GroupFamily& all = parts_.families.emplace_back(GroupFamily{.name = "all"});
    all.groups.emplace_back(parts_.ranks);
    std::iota(all.groups[0].begin(), all.groups[0].end(), 0U);
  }

  Workload build(int micro_batches) {
    const ReplicaClasses classes(c_.job.batch, s_);
    int most = 0, replica = 0;
    for (std::size_t k = 0; k < classes.size(); ++k)
      most = std::max(most, classes[k].micro_batches);
    const int shown = shown_micro_batches(most, micro_batches, s_);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const int its = classes[k].micro_batches;
      const int count = its == most     ? shown
                        : shown == most ? its
                                        : std::max(s_.pp, its * shown / most / s_.pp * s_.pp);
      add_class(classes[k], k, classes.size() > 1, replica, count);
      replica += classes[k].replicas;
    }
    parts_.names = names_.names();
    return Workload(std::move(parts_));
  }

 private:
  void add_family(GroupRole role, const RankGroups& groups) {
    if (groups.count() == 0 || groups[0].size() < 2) return;
    families_[role] = static_cast<std::uint32_t>(parts_.families.size());
    GroupFamily& family =
        parts_.families.emplace_back(GroupFamily{.name = std::string(family_name(role))});
    for (std::size_t g = 0; g < groups.count(); ++g) {
      auto& members = family.groups.emplace_back();
      for (const JobRank rank : groups[g]) members.push_back(rank.value());
    }
  }

  /// Adds the passes of a chunk on a type, at least as long as their transfers to and from the
  /// host.
  void add_chunk(const PipelineClass& one, const StepPipeline& step, const ReplicaWork& work,
                 int chunk, StageSteps& steps) const {
    const int type = one.type_of(chunk % s_.pp);
    const auto index = static_cast<std::size_t>(chunk);
    const auto exposed = [](const PassCost& pass) { return pass.tp + pass.cp + pass.ep; };
    const auto host = [&](Time time) {
      return Time::picoseconds(time.picoseconds() / s_.interleave);
    };
    ChunkPass& forward = steps.forward[chunk];
    ChunkPass& backward = steps.backward[chunk];
    forward.elapsed = std::max(step.chunks[index].forward, host(work.forward_host));
    backward.elapsed = std::max(step.chunks[index].backward, host(work.backward_host));
    forward.exposed = exposed(step.forward[index]);
    backward.exposed = exposed(step.backward[index]);
    steps.weight[chunk].elapsed = step.chunks[index].weight;
    const int chunks = s_.pp * s_.interleave;
    add_collectives(s_, collectives_.at(type), chunk_layers(c_.job.model, s_, chunk),
                    stage_ends(c_.job.model, s_, chunk, chunks), forward, backward);
  }

  [[nodiscard]] ChunkBuckets chunk_buckets(const ReplicaCollectives& all, int chunk) const {
    const int layers = chunk_layers(c_.job.model, s_, chunk).total();
    const int of = stage_layers(c_.job.model, s_, chunk % s_.pp).total();
    ChunkBuckets its{.gather = all.gather, .reduce = all.reduce, .behind = all.copies};
    its.share = of > 0 ? static_cast<double>(layers) / of : 1.0 / s_.interleave;
    its.buckets = std::max(1, layers);
    // ZeRO 2 gathers weights once per step.
    if (s_.zero != 2) return its;
    its.behind.insert(its.behind.end(), its.gather.begin(), its.gather.end());
    its.gather.clear();
    return its;
  }

  /// Keeps only collectives of groups with at least two ranks.
  void keep_known(std::vector<PassCollective>& all) const {
    std::erase_if(all,
                  [&](const PassCollective& its) { return !families_.contains(its.what.role); });
  }

  void add_class(const PipelineClass& one, std::size_t number, bool several, int first_replica,
                 int micro_batches) {
    for (int stage = 0; stage < s_.pp; ++stage) {
      const int type = one.type_of(stage);
      if (!collectives_.contains(type))
        collectives_.emplace(type, block_collectives(c_.on(type), s_, shapes(type)));
    }
    StepPipeline step = step_pipeline(c_, s_, blocks_.shapes, blocks_.blocks, one);
    step.pipeline.micro_batches = micro_batches;
    std::vector<std::vector<PipelineSlot>> orders;
    for (int stage = 0; stage < s_.pp; ++stage) orders.push_back(rank_order(step.pipeline, stage));
    const Messages messages(step.pipeline, orders);
    for (int stage = 0; stage < s_.pp; ++stage)
      add_stage(one, step, orders[static_cast<std::size_t>(stage)], messages.of(stage), stage,
                several ? fmt::format("pipeline {}, stage {}", number, stage)
                        : fmt::format("stage {}", stage),
                first_replica);
  }

  void add_stage(const PipelineClass& one, const StepPipeline& step,
                 const std::vector<PipelineSlot>& order, StageMessages messages, int stage,
                 std::string name, int first_replica) {
    const TypeContext& type = c_.on(one.type_of(stage));
    const GroupShapes& own = shapes(one.type_of(stage));
    const ReplicaWork work = stage_work(c_, s_, blocks_.shapes, one, stage);
    ReplicaCollectives over = replica_collectives(type, s_, own, stage);
    for (auto* all : {&over.gather, &over.reduce, &over.copies, &over.tied}) keep_known(*all);
    StageSteps steps{.order = order,
                     .reduce = over.reduce,
                     .gather = over.gather,
                     .optimizer = work.optimizer,
                     .host = work.host,
                     .compute_share = type.gpu.compute().communication_share};
    if (stage == 0 || stage + 1 == s_.pp) steps.tied = over.tied;
    const int chunks = s_.pp * s_.interleave;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      // DualPipe's ranks also hold the opposite chunk.
      const int owner = chunk % s_.pp;
      const bool dual = s_.schedule == PipelineSchedule::dualpipe;
      if (owner != stage && !(dual && owner == s_.pp - 1 - stage)) continue;
      add_chunk(one, step, work, chunk, steps);
      for (auto* pass : {&steps.forward[chunk], &steps.backward[chunk]})
        keep_known(pass->collectives);
      steps.buckets[chunk] = chunk_buckets(over, chunk);
    }
    const GroupCollective hop{collectives::Kind::send_recv, GroupRole::pipeline, own.pp,
                              hop_bytes(c_.job, s_)};
    messages.bytes = hop.bytes;
    messages.rate_share = type.share_in_step(hop);
    const StageSetting setting{
        .context = type, .strategy = s_, .families = families_, .everyone = everyone_};
    collectives::WorkloadRole role{.name = std::move(name),
                                   .program = static_cast<std::uint32_t>(parts_.programs.size())};
    parts_.programs.push_back(stage_program(setting, steps, messages, names_));
    const int block = s_.tp * s_.cp;
    const int first = (stage * s_.dp + first_replica) * block;
    for (int i = 0; i < one.replicas * block; ++i)
      role.ranks.push_back(static_cast<std::uint32_t>(first + i));
    parts_.roles.push_back(std::move(role));
  }

  [[nodiscard]] const GroupShapes& shapes(int type) const {
    return blocks_.shapes[static_cast<std::size_t>(type)];
  }

  const CostContext& c_;
  const Strategy& s_;
  TypeBlocks blocks_;
  Workload::Parts parts_;
  NameTable names_;
  std::map<GroupRole, std::uint32_t> families_;
  std::uint32_t everyone_ = 0;
  std::map<int, BlockCollectives> collectives_;  ///< by type
};

}  // namespace

std::vector<std::optional<GroupRole>> roles_of_families(const Workload& workload) {
  std::vector<std::optional<GroupRole>> roles;
  for (const GroupFamily& family : workload.families()) {
    const auto role = std::ranges::find(kGroupRoles, family.name, family_name);
    roles.push_back(role == kGroupRoles.end() ? std::nullopt : std::optional(*role));
  }
  return roles;
}

Workload step_workload(const CostContext& context, const Strategy& strategy, int micro_batches) {
  return StepBuilder(context, strategy).build(micro_batches);
}

}  // namespace railyard::placement
