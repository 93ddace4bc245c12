#include "placement/jobs/elastic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "placement/model/parameters.hpp"
#include "placement/strategy/strategy_groups.hpp"

namespace railyard::placement {
namespace {

/// An interval within [0, 1]: a part of the layers, of the weights or of the optimizer state.
struct Part {
  double begin = 0, end = 1;
};

Part slice(int index, int of) {
  return {static_cast<double>(index) / of, static_cast<double>(index + 1) / of};
}

/// The interval of a chunk if chunks have these numbers of layers.
Part uneven_slice(int chunk, const std::vector<int>& layers) {
  const auto first = layers.begin() + chunk;
  const double all = std::accumulate(layers.begin(), layers.end(), 0),
               before = std::accumulate(layers.begin(), first, 0);
  return {before / all, (before + *first) / all};
}

double common(const Part& a, const Part& b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

/// The state that a rank holds: the layers of its chunks (intervals of the depth), in these layers
/// a slice of the dense weights and some experts, and a shard of the optimizer state of both.
struct Holding {
  std::vector<Part> depth;
  Part tensor, experts, shard;
  int tp = 1, pp = 1, shards = 1;
};

double depth_of(const Holding& h) {
  double deep = 0;
  for (const Part& part : h.depth) deep += part.end - part.begin;
  return deep;
}

double common_depth(const Holding& a, const Holding& b) {
  double deep = 0;
  for (const Part& mine : a.depth)
    for (const Part& theirs : b.depth) deep += common(mine, theirs);
  return deep;
}

/// Parameters of the dense part and of the experts, and bytes of each.
struct Sizes {
  double dense = 0, experts = 0;
  double weight = 2, state = 12;

  [[nodiscard]] double parameters(const Holding& h) const {
    return depth_of(h) *
           (dense * (h.tensor.end - h.tensor.begin) + experts * (h.experts.end - h.experts.begin));
  }
  /// Bytes that a rank with this holding needs; has(): those of them that another holding contains.
  [[nodiscard]] double needs(const Holding& h) const {
    return parameters(h) * (weight + state / h.shards);
  }
  [[nodiscard]] double has(const Holding& mine, const Holding& wanted) const {
    const double shared =
        common_depth(mine, wanted) * (dense * common(mine.tensor, wanted.tensor) +
                                      experts * common(mine.experts, wanted.experts));
    const bool same = mine.tp == wanted.tp && mine.pp == wanted.pp;
    const double shard =
        same ? common(mine.shard, wanted.shard) : 1.0 / mine.shards / wanted.shards;
    return shared * (weight + state * shard);
  }
};

Sizes sizes_of(const Job& job) {
  const Model& m = job.model;
  Sizes sizes{.weight = static_cast<double>(job.element_bytes()),
              .state = job.element_bytes() == 2 ? 12.0 : 8.0};
  if (m.moe)
    sizes.experts = static_cast<double>(layer_parameters(m, true).experts) * m.moe_layers();
  sizes.dense = static_cast<double>(count_parameters(m).total) - sizes.experts;
  return sizes;
}

Holding holding(const Strategy& s, const RankGrid& grid, JobRank rank) {
  Holding h{.depth = {}, .tensor = {}, .experts = {}, .shard = {}, .tp = s.tp, .pp = s.pp};
  const int stage = grid.coordinate(rank, GridAxis::pp), chunks = s.pp * s.interleave;
  for (int v = 0; v < s.interleave; ++v) {
    const int chunk = stage + v * s.pp;
    h.depth.push_back(s.layers.empty() ? slice(chunk, chunks) : uneven_slice(chunk, s.layers));
  }
  h.tensor = slice(grid.coordinate(rank, GridAxis::tp), s.tp);
  const int in_stage = static_cast<int>(rank.index()) % (s.tp * s.cp * s.dp);
  h.experts = slice(in_stage % (s.ep * s.etp), s.ep * s.etp);
  if (s.zero > 0) {
    const int replica = grid.coordinate(rank, GridAxis::cp) +
                        s.cp * (grid.coordinate(rank, GridAxis::ep) +
                                grid.size(GridAxis::ep) * grid.coordinate(rank, GridAxis::dp));
    h.shards = s.shards();
    h.shard = slice(replica % h.shards, h.shards);
  }
  return h;
}

}  // namespace

Moves moves_between(const Job& job, const topology::Cluster& cluster, const Placed& before,
                    const Placed& after, std::span<const Rank> left) {
  const RankGrid old_grid = strategy_grid(before.strategy), grid = strategy_grid(after.strategy);
  std::map<Rank, Holding> held;
  for (std::size_t r = 0; r < before.mapping.size(); ++r)
    held.emplace(before.mapping.gpus[r], holding(before.strategy, old_grid, JobRank(r)));
  const Sizes sizes = sizes_of(job);
  Moves moves;
  for (std::size_t r = 0; r < after.mapping.size(); ++r) {
    const Rank gpu = after.mapping.gpus[r];
    const Holding wanted = holding(after.strategy, grid, JobRank(r));
    double moved = sizes.needs(wanted);
    if (const auto own = held.find(gpu); own != held.end()) moved -= sizes.has(own->second, wanted);
    moves.moved += moved;
    moves.most = std::max(moves.most, moves.by_node[cluster.node_of(gpu)] += moved);
  }
  // Shards without a surviving holder come from the checkpoint. Unsharded state is on every
  // replica.
  const std::set<Rank> stay(left.begin(), left.end());
  std::map<std::tuple<double, double, double, double>, std::pair<bool, double>> survives;
  for (const auto& [gpu, h] : held) {
    auto& [alive, bytes] =
        survives[{h.depth.front().begin, h.tensor.begin, h.experts.begin, h.shard.begin}];
    alive = alive || stay.contains(gpu);
    bytes = sizes.parameters(h) * sizes.state / h.shards;
  }
  for (const auto& [part, state] : survives)
    if (!state.first) moves.checkpoint += state.second;
  return moves;
}

std::optional<Time> payback_time(Time extra_move, Time step, Time other_step) {
  if (step >= other_step) return std::nullopt;
  if (extra_move <= Time()) return Time();
  const double steps = std::ceil(extra_move.seconds() / (other_step - step).seconds());
  return Time::from_seconds(steps * step.seconds() + extra_move.seconds());
}

}  // namespace railyard::placement
