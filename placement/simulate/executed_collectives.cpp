#include "placement/simulate/executed_collectives.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

using collectives::Kind;

GpuGroups on_gpus(const RankGroups& groups, const Mapping& mapping) {
  std::vector<std::vector<Rank>> all;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    auto& gpus = all.emplace_back();
    for (const JobRank rank : groups[g]) gpus.push_back(mapping[rank]);
  }
  return GpuGroups(std::move(all));
}

/// Which of the groups count.
std::vector<std::size_t> counted_of(const GpuGroups& groups,
                                    const ExecutedCollectives::Counts& counts) {
  std::vector<std::size_t> counted;
  for (std::size_t g = 0; g < groups.gpus.size(); ++g)
    if (!counts || std::ranges::any_of(groups.gpus[g], counts)) counted.push_back(g);
  return counted;
}

Time slowest(const std::vector<Time>& done, const std::vector<std::size_t>& counted) {
  Time most;
  for (const std::size_t g : counted) most = std::max(most, done[g]);
  return most;
}

}  // namespace

void ExecutedCollectives::add(const GroupShape& shape, const RankGroups& groups,
                              const Mapping& mapping, const Counts& counts) {
  if (shape.size < 2 || groups.count() == 0) return;
  const auto same = [&](const Placed& p) { return p.shape == shape; };
  if (std::ranges::any_of(placed_, same)) return;
  Placed placed{.shape = shape, .all = on_gpus(groups, mapping)};
  placed.groups = runs_->without_copies(placed.all);
  placed.all_counted = counted_of(placed.all, counts);
  placed.counted = counted_of(placed.groups, counts);
  if (!placed.counted.empty()) placed_.push_back(std::move(placed));
}

void ExecutedCollectives::place(const Strategy& strategy, const GroupShapes& shapes,
                                const Mapping& mapping, const Counts& counts) {
  const StrategyGroups groups = strategy_groups(strategy);
  placed_.clear();
  add(shapes.tp, groups.tp, mapping, counts);
  add(shapes.cp, groups.cp, mapping, counts);
  add(shapes.dp, groups.dp, mapping, counts);
  add(shapes.pp, groups.pp, mapping, counts);
  add(shapes.replicas, groups.replicas, mapping, counts);
  add(shapes.shard, groups.shard, mapping, counts);
  add(shapes.mirrors, groups.mirrors, mapping, counts);
  add(shapes.ep, groups.ep, mapping, counts);
  add(shapes.expert_replicas, groups.expert_replicas, mapping, counts);
  add(shapes.embedding, groups.embedding, mapping, counts);
  add(shapes.expert_shard, groups.expert_shard, mapping, counts);
  add(shapes.expert_mirrors, groups.expert_mirrors, mapping, counts);
}

const ExecutedCollectives::Placed* ExecutedCollectives::placed(const GroupShape& shape) const {
  const auto found = std::ranges::find(placed_, shape, &Placed::shape);
  return found == placed_.end() ? nullptr : &*found;
}

Time ExecutedCollectives::time(Kind kind, const GroupShape& shape, double bytes) {
  if (shape.size < 2 || !(bytes > 0)) return Time();
  const Placed* its = placed(shape);
  if (its == nullptr) return otherwise_.time(kind, shape, bytes);
  return slowest(runs_->alone({kind, its->groups, bytes}).done, its->counted);
}

unsigned ExecutedCollectives::link_kinds(const DimensionLoad& load) {
  const Placed* its = load.shape.size < 2 || !(load.bytes > 0) ? nullptr : placed(load.shape);
  return its == nullptr ? 0 : runs_->alone({load.kind, its->groups, load.bytes}).link_kinds;
}

std::vector<Time> ExecutedCollectives::together(std::span<const DimensionLoad> loads) {
  std::vector<GroupLoad> asked;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Placed* its = placed(loads[i].shape);
    if (its == nullptr) continue;
    asked.push_back({loads[i].kind, its->all, loads[i].bytes});
    which.push_back(i);
  }
  std::vector<Time> times(loads.size());
  if (asked.empty()) return times;
  const auto& done = runs_->together(asked);
  for (std::size_t i = 0; i < which.size(); ++i)
    times[which[i]] = slowest(done[i], placed(loads[which[i]].shape)->all_counted);
  return times;
}

}  // namespace railyard::placement
