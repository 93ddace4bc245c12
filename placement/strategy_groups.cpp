#include "placement/strategy_groups.hpp"

#include <span>
#include <vector>

namespace railyard::placement {
namespace {

/// The part of the data-parallel ranks that expert groups are made of beside tp and cp.
int expert_part(const Strategy& s) {
  const int inside = s.tp * s.cp, experts = s.ep * s.etp;
  if (s.ep == 1 || experts % inside != 0) return 1;
  return s.dp % (experts / inside) == 0 ? experts / inside : 1;
}

/// Ranks first, first + step, ... of each stage; groups that differ in their first rank alone.
void add_groups(RankGroups& groups, std::size_t first, std::size_t count, std::size_t step) {
  std::vector<JobRank> members;
  for (std::size_t i = 0; i < count; ++i) members.emplace_back(first + i * step);
  groups.add(members);
}

void add_expert_groups(const Strategy& s, StrategyGroups& groups) {
  const auto stage = static_cast<std::size_t>(s.tp * s.cp * s.dp);
  const auto etp = static_cast<std::size_t>(s.etp), ep = static_cast<std::size_t>(s.ep);
  const std::size_t block = ep * etp, copies = stage / block;
  for (std::size_t start = 0; start < static_cast<std::size_t>(s.gpus()); start += stage) {
    for (std::size_t b = 0; b < copies; ++b)
      for (std::size_t k = 0; k < etp; ++k) add_groups(groups.ep, start + b * block + k, ep, etp);
    for (std::size_t i = 0; i < block; ++i)
      add_groups(groups.expert_replicas, start + i, copies, block);
  }
}

/// Of each group of replicas, neighbours that share one copy, and who holds the same part of
/// others.
void add_copies(const Strategy& s, StrategyGroups& groups) {
  if (s.shards() >= s.replicas()) return;
  const auto shards = static_cast<std::size_t>(s.shards());
  for (std::size_t g = 0; g < groups.replicas.count(); ++g) {
    const std::span<const JobRank> all = groups.replicas[g];
    const std::size_t copies = all.size() / shards;
    for (std::size_t c = 0; c < copies; ++c) groups.shard.add(all.subspan(c * shards, shards));
    for (std::size_t i = 0; i < shards; ++i) {
      std::vector<JobRank> holders;
      for (std::size_t c = 0; c < copies; ++c) holders.push_back(all[c * shards + i]);
      groups.mirrors.add(holders);
    }
  }
}

}  // namespace

RankGrid strategy_grid(const Strategy& s) {
  const int ep = expert_part(s);
  return RankGrid::in_order({.tp = s.tp, .cp = s.cp, .ep = ep, .dp = s.dp / ep, .pp = s.pp});
}

Layout layout_in(const Strategy& s, const DimensionOrder& order) {
  const int ep = expert_part(s);
  Layout layout;
  for (const Dimension d : order) {
    switch (d) {
      case Dimension::tp: layout.push_back({GridAxis::tp, s.tp}); break;
      case Dimension::cp: layout.push_back({GridAxis::cp, s.cp}); break;
      case Dimension::dp:
        layout.push_back({GridAxis::ep, ep});
        layout.push_back({GridAxis::dp, s.dp / ep});
        break;
      case Dimension::pp: layout.push_back({GridAxis::pp, s.pp}); break;
    }
  }
  return layout;
}

StrategyGroups strategy_groups(const Strategy& s) {
  using enum GridAxis;
  const RankGrid grid = strategy_grid(s);
  StrategyGroups groups{.tp = grid.groups({tp}),
                        .cp = grid.groups({cp}),
                        .dp = grid.groups({ep, dp}),
                        .pp = grid.groups({pp}),
                        .replicas = grid.groups({cp, ep, dp}),
                        .shard = {},
                        .mirrors = {},
                        .ep = {},
                        .expert_replicas = {},
                        .embedding = {}};
  add_copies(s, groups);
  add_expert_groups(s, groups);
  const auto stage = static_cast<std::size_t>(s.tp * s.cp * s.dp);
  if (s.pp > 1)
    for (std::size_t i = 0; i < stage; ++i)
      add_groups(groups.embedding, i, 2, stage * static_cast<std::size_t>(s.pp - 1));
  return groups;
}

}  // namespace railyard::placement
