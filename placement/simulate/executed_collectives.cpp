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

/// Indices of the groups that count.
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

ExecutedCollectives::ExecutedCollectives(std::shared_ptr<GroupRuns> runs,
                                         const CommunicationModel& otherwise,
                                         const Strategy& strategy, const Mapping& mapping,
                                         const Counts& counts)
    : runs_(std::move(runs)), otherwise_(otherwise) {
  const StrategyGroups all = strategy_groups(strategy);
  for (const GroupRole role : kGroupRoles) {
    const RankGroups& groups = all[role];
    if (groups.count() == 0 || groups[0].size() < 2) continue;
    auto& its = placed_[static_cast<std::size_t>(role)];
    // If all replicas share one copy, the shard groups are the replica groups.
    for (const GroupRole other : kGroupRoles)
      if (other < role && &all[other] == &groups) its = placed_[static_cast<std::size_t>(other)];
    if (its) continue;
    Placed placed{.all = on_gpus(groups, mapping)};
    placed.groups = runs_->representative_groups(placed.all);
    placed.all_counted = counted_of(placed.all, counts);
    placed.counted = counted_of(placed.groups, counts);
    if (!placed.counted.empty()) its = std::make_shared<const Placed>(std::move(placed));
  }
}

const ExecutedCollectives::Placed* ExecutedCollectives::placed(GroupRole role) const {
  return placed_[static_cast<std::size_t>(role)].get();
}

Time ExecutedCollectives::time(const GroupCollective& c) const {
  if (c.shape.size < 2 || !(c.bytes > 0)) return Time();
  const Placed* its = placed(c.role);
  if (its == nullptr) return otherwise_.time(c);
  return slowest(runs_->alone({c.kind, its->groups, c.bytes}).done, its->counted);
}

unsigned ExecutedCollectives::link_kinds(const GroupCollective& c) const {
  const Placed* its = c.shape.size < 2 || !(c.bytes > 0) ? nullptr : placed(c.role);
  return its == nullptr ? 0 : runs_->alone({c.kind, its->groups, c.bytes}).link_kinds;
}

std::vector<Time> ExecutedCollectives::together(
    std::span<const GroupCollective> collectives) const {
  std::vector<GroupLoad> asked;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    const Placed* its = placed(collectives[i].role);
    if (its == nullptr) continue;
    asked.push_back({collectives[i].kind, its->all, collectives[i].bytes});
    which.push_back(i);
  }
  std::vector<Time> times(collectives.size());
  if (asked.empty()) return times;
  const auto& done = runs_->together(asked);
  for (std::size_t i = 0; i < which.size(); ++i)
    times[which[i]] = slowest(done[i], placed(collectives[which[i]].role)->all_counted);
  return times;
}

}  // namespace railyard::placement
