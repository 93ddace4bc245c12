#include "placement/executed_collectives.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace railyard::placement {
namespace {

using collectives::Kind;

/// FNV-1a over the groups' ranks and where one ends.
std::uint64_t fingerprint_of(const std::vector<std::vector<Rank>>& groups) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
  for (const auto& group : groups) {
    for (const Rank rank : group) add(rank.value());
    add(~std::uint64_t{0});
  }
  return hash;
}

/// Whole elements on every rank of the group.
Bytes whole(double bytes, std::size_t ranks) {
  const auto unit = static_cast<double>(
      static_cast<std::size_t>(size_of(collectives::DataType::bfloat16).count()) * ranks);
  return Bytes(std::llround(std::max(1.0, std::ceil(bytes / unit)) * unit));
}

}  // namespace

ExecutedCollectives::GpuGroups ExecutedCollectives::on_gpus(const RankGroups& groups,
                                                            const Mapping& mapping) const {
  GpuGroups all;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    auto& gpus = all.emplace_back();
    for (const JobRank rank : groups[g]) gpus.push_back(mapping[rank]);
  }
  return all;
}

ExecutedCollectives::GpuGroups ExecutedCollectives::without_copies(const GpuGroups& all) const {
  const auto inside = [&](const std::vector<Rank>& gpus) {
    return std::ranges::all_of(gpus, [&](Rank gpu) {
      return engine_.cluster.node_of(gpu) == engine_.cluster.node_of(gpus.front());
    });
  };
  if (!std::ranges::all_of(all, inside)) return all;
  // By node: the groups as lists of local GPUs. One node of each pattern stands for all.
  std::map<std::uint32_t, GpuGroups> by_node;
  for (const auto& gpus : all)
    by_node[engine_.cluster.node_of(gpus.front()).value()].push_back(gpus);
  std::set<std::vector<std::vector<int>>> patterns;
  GpuGroups kept;
  for (auto& [node, members] : by_node) {
    std::vector<std::vector<int>> pattern;
    for (const auto& gpus : members) {
      auto& locals = pattern.emplace_back();
      for (const Rank gpu : gpus) locals.push_back(engine_.cluster.local_gpu(gpu));
    }
    pattern.push_back({static_cast<int>(engine_.cluster.node(NodeId(node)).shape)});
    if (patterns.insert(std::move(pattern)).second)
      std::move(members.begin(), members.end(), std::back_inserter(kept));
  }
  return kept;
}

void ExecutedCollectives::add(const GroupShape& shape, const RankGroups& groups,
                              const Mapping& mapping) {
  if (shape.size < 2 || groups.count() == 0) return;
  const auto same = [&](const Placed& p) { return p.shape == shape; };
  if (std::ranges::any_of(placed_, same)) return;
  Placed placed{.shape = shape, .all = on_gpus(groups, mapping), .groups = {}};
  placed.groups = without_copies(placed.all);
  placed.fingerprint = fingerprint_of(placed.groups);
  placed.all_fingerprint = fingerprint_of(placed.all);
  placed_.push_back(std::move(placed));
}

void ExecutedCollectives::place(const Strategy& strategy, const GroupShapes& shapes,
                                const Mapping& mapping) {
  const StrategyGroups groups = strategy_groups(strategy);
  placed_.clear();
  add(shapes.tp, groups.tp, mapping);
  add(shapes.cp, groups.cp, mapping);
  add(shapes.dp, groups.dp, mapping);
  add(shapes.pp, groups.pp, mapping);
  add(shapes.replicas, groups.replicas, mapping);
  add(shapes.ep, groups.ep, mapping);
  add(shapes.expert_replicas, groups.expert_replicas, mapping);
  add(shapes.embedding, groups.embedding, mapping);
}

const ExecutedCollectives::Placed* ExecutedCollectives::placed(const GroupShape& shape) const {
  const auto found = std::ranges::find(placed_, shape, &Placed::shape);
  return found == placed_.end() ? nullptr : &*found;
}

const ExecutedCollectives::Known& ExecutedCollectives::known(const Placed& placed, Kind kind,
                                                             double bytes) {
  const Bytes size = whole(bytes, placed.shape.size);
  const auto [known, is_new] =
      known_.try_emplace({kind, size.count(), placed.fingerprint}, Known());
  if (is_new) known->second = run(kind, placed.groups, size);
  return known->second;
}

Time ExecutedCollectives::time(Kind kind, const GroupShape& shape, double bytes) {
  if (shape.size < 2 || !(bytes > 0)) return Time();
  const Placed* its = placed(shape);
  return its == nullptr ? otherwise_.time(kind, shape, bytes) : known(*its, kind, bytes).time;
}

unsigned ExecutedCollectives::link_kinds(const DimensionLoad& load) {
  const Placed* its = load.shape.size < 2 || !(load.bytes > 0) ? nullptr : placed(load.shape);
  return its == nullptr ? 0 : known(*its, load.kind, load.bytes).link_kinds;
}

std::vector<Time> ExecutedCollectives::together(std::span<const DimensionLoad> loads) {
  std::vector<Asked> asked;
  std::vector<collectives::Schedule> schedules;
  for (const DimensionLoad& load : loads) {
    const Placed* its = placed(load.shape);
    const Bytes bytes = whole(load.bytes, load.shape.size);
    asked.emplace_back(load.kind, bytes.count(), its == nullptr ? 0 : its->all_fingerprint);
  }
  const auto [known, is_new] = known_together_.try_emplace(asked);
  if (!is_new) return known->second;
  std::vector<std::size_t> of;  // which load a task is part of
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (const Placed* its = placed(loads[i].shape))
      add_schedules(loads[i].kind, its->all, whole(loads[i].bytes, loads[i].shape.size), schedules);
    of.resize(schedules.size(), i);
  }
  std::vector<collectives::Task> tasks;
  for (const collectives::Schedule& schedule : schedules)
    tasks.push_back({.schedule = &schedule, .start = Time(), .name = {}});
  const collectives::Run run = engine_.executor.run(tasks);
  known->second.assign(loads.size(), Time());
  for (std::size_t t = 0; t < run.tasks.size(); ++t)
    known->second[of[t]] = std::max(known->second[of[t]], run.tasks[t].finish);
  return known->second;
}

void ExecutedCollectives::add_schedules(Kind kind, const GpuGroups& groups, Bytes bytes,
                                        std::vector<collectives::Schedule>& schedules) const {
  const collectives::Collective collective{
      .kind = kind, .bytes = bytes, .type = collectives::DataType::bfloat16};
  for (const auto& gpus : groups)
    schedules.push_back(engine_.schedule(
        std::make_shared<const collectives::Group>(engine_.cluster, gpus), collective));
}

ExecutedCollectives::Known ExecutedCollectives::run(Kind kind, const GpuGroups& groups,
                                                    Bytes bytes) const {
  std::vector<collectives::Schedule> schedules;
  add_schedules(kind, groups, bytes, schedules);
  std::vector<collectives::Task> tasks;
  for (const collectives::Schedule& schedule : schedules)
    tasks.push_back({.schedule = &schedule, .start = Time(), .name = {}});
  const collectives::Run ran = engine_.executor.run(tasks);
  Known known;
  for (const auto& result : ran.tasks) known.time = std::max(known.time, result.finish);
  for (const collectives::LinkLoad& load : ran.link_loads)
    known.link_kinds |= 1U << static_cast<unsigned>(engine_.cluster.link(load.link).kind);
  return known;
}

}  // namespace railyard::placement
