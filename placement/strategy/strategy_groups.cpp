#include "placement/strategy/strategy_groups.hpp"

#include <span>
#include <vector>

namespace railyard::placement {
namespace {

/// Factor of the data-parallel ranks by which expert groups extend beyond tp x cp.
int expert_part(const Strategy& s) {
  const int inside = s.tp * s.cp, experts = s.ep * s.etp;
  if (s.ep == 1 || experts % inside != 0) return 1;
  return s.dp % (experts / inside) == 0 ? experts / inside : 1;
}

/// Adds groups of `count` ranks first, first + step, ... of each stage, for each first rank.
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

/// Each group split into parts of `size` consecutive members.
RankGroups parts_of(const RankGroups& groups, std::size_t size) {
  RankGroups parts;
  for (std::size_t g = 0; g < groups.count(); ++g)
    for (std::size_t first = 0; first < groups[g].size(); first += size)
      parts.add(groups[g].subspan(first, size));
  return parts;
}

/// Each group split into `step` groups, each with every `step`-th member.
RankGroups every(const RankGroups& groups, std::size_t step) {
  RankGroups parts;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    for (std::size_t first = 0; first < step; ++first) {
      std::vector<JobRank> members;
      for (std::size_t i = first; i < groups[g].size(); i += step) members.push_back(groups[g][i]);
      parts.add(members);
    }
  }
  return parts;
}

}  // namespace

RankGrid strategy_grid(const Strategy& s) {
  const int ep = expert_part(s);
  return RankGrid::in_order({.tp = s.tp, .cp = s.cp, .ep = ep, .dp = s.dp / ep, .pp = s.pp});
}

std::vector<int> rank_types(const Strategy& s) {
  if (s.classes.empty()) return std::vector<int>(static_cast<std::size_t>(s.gpus()), 0);
  const auto block = static_cast<std::size_t>(s.tp * s.cp);
  std::vector<int> types;
  for (int stage = 0; stage < s.pp; ++stage)
    for (const PipelineClass& one : s.classes)
      types.insert(types.end(), block * static_cast<std::size_t>(one.replicas), one.type_of(stage));
  return types;
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

const RankGroups& StrategyGroups::operator[](GroupRole role) const {
  switch (role) {
    case GroupRole::tensor: return tp;
    case GroupRole::context: return cp;
    case GroupRole::expert: return ep;
    case GroupRole::pipeline: return pp;
    case GroupRole::data: return replicas;
    case GroupRole::shard: return shard.count() > 0 ? shard : replicas;
    case GroupRole::copies: return mirrors;
    case GroupRole::expert_data: return expert_replicas;
    case GroupRole::expert_shard: return expert_shard.count() > 0 ? expert_shard : expert_replicas;
    case GroupRole::expert_copies: return expert_mirrors;
    case GroupRole::embedding: break;
  }
  return embedding;
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
                        .expert_shard = {},
                        .expert_mirrors = {},
                        .embedding = {}};
  add_expert_groups(s, groups);
  if (s.copies() > 1) {
    const auto shards = static_cast<std::size_t>(s.shards());
    const auto expert_shards = static_cast<std::size_t>(s.expert_shards());
    groups.shard = parts_of(groups.replicas, shards);
    groups.mirrors = every(groups.replicas, shards);
    groups.expert_shard = parts_of(groups.expert_replicas, expert_shards);
    groups.expert_mirrors = every(groups.expert_replicas, expert_shards);
  }
  const auto stage = static_cast<std::size_t>(s.tp * s.cp * s.dp);
  if (s.pp > 1)
    for (std::size_t i = 0; i < stage; ++i)
      add_groups(groups.embedding, i, 2, stage * static_cast<std::size_t>(s.pp - 1));
  return groups;
}

}  // namespace railyard::placement
