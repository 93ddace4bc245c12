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
  bool inside = true;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    auto& gpus = all.emplace_back();
    for (const JobRank rank : groups[g]) gpus.push_back(mapping[rank]);
    for (const Rank gpu : gpus)
      inside = inside && engine_.cluster.node_of(gpu) == engine_.cluster.node_of(gpus.front());
  }
  if (!inside) return all;
  // By node: the groups as lists of local GPUs. One node of each pattern stands for all.
  std::map<std::uint32_t, GpuGroups> by_node;
  for (auto& gpus : all) {
    const NodeId node = engine_.cluster.node_of(gpus.front());
    by_node[node.value()].push_back(std::move(gpus));
  }
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
  Placed placed{.shape = shape, .groups = on_gpus(groups, mapping)};
  placed.fingerprint = fingerprint_of(placed.groups);
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

Time ExecutedCollectives::time(Kind kind, const GroupShape& shape, double bytes) {
  if (shape.size < 2 || !(bytes > 0)) return Time();
  const auto placed = std::ranges::find(placed_, shape, &Placed::shape);
  if (placed == placed_.end()) return otherwise_.time(kind, shape, bytes);
  const Bytes size = whole(bytes, shape.size);
  const auto [known, is_new] =
      known_.try_emplace({kind, size.count(), placed->fingerprint}, Time());
  if (is_new) known->second = run(kind, placed->groups, size);
  return known->second;
}

Time ExecutedCollectives::run(Kind kind, const GpuGroups& groups, Bytes bytes) const {
  const collectives::Collective collective{
      .kind = kind, .bytes = bytes, .type = collectives::DataType::bfloat16};
  std::vector<collectives::Schedule> schedules;
  schedules.reserve(groups.size());
  for (const auto& gpus : groups)
    schedules.push_back(engine_.schedule(
        std::make_shared<const collectives::Group>(engine_.cluster, gpus), collective));
  std::vector<collectives::Task> tasks;
  for (const collectives::Schedule& schedule : schedules)
    tasks.push_back({.schedule = &schedule, .start = Time(), .name = {}});
  Time last;
  for (const auto& result : engine_.executor.run(tasks).tasks) last = std::max(last, result.finish);
  return last;
}

}  // namespace railyard::placement
