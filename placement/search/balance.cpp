#include "placement/search/balance.hpp"

#include <algorithm>
#include <cmath>

#include "placement/search/batch_split.hpp"
#include "placement/search/layer_split.hpp"

namespace railyard::placement {
namespace {

/// Forward and backward time of `layers` layers and the stage's ends on a type.
Time pass_of(const TypeContext& c, const Strategy& s, const BlockCosts& blocks, int layers,
             const StageEnds& ends) {
  const bool experts = c.job.model.moe.has_value();
  const ChunkLayers chunk{.dense = experts ? 0 : layers, .sparse = experts ? layers : 0};
  const ChunkTimes times = pass_times(c, pass_over(s, blocks, chunk, ends));
  return times.forward + times.backward;
}

/// The largest number of layers that fits on a stage, by extrapolation: each layer adds the same
/// memory.
int most_layers(const CostContext& c, Strategy s, const PipelineClass& one, int stage) {
  const TypeContext& type = c.on(one.type_of(stage));
  const int all = c.job.model.layers;
  const auto bytes = [&](int layers) {
    s.layers.assign(static_cast<std::size_t>(s.pp), 0);
    // The layers before this stage are the first ones of the model.
    if (stage > 0) s.layers[0] = std::max(0, all - layers);
    s.layers[static_cast<std::size_t>(stage)] = layers;
    return static_cast<double>(
        stage_memory(c.job, s, stage, memory_traits(type.gpu), s.pp).total().count());
  };
  const double two = bytes(std::min(2, all)), three = bytes(std::min(3, all));
  const double room = static_cast<double>(type.gpu.gpu.memory.count());
  if (three <= two) return two <= room ? all : 0;
  const double more = (room - two) / (three - two);
  return static_cast<int>(std::clamp(2 + std::floor(more), 0.0, static_cast<double>(all)));
}

std::vector<StageLoad> loads_of(const CostContext& c, const Strategy& s, const Pipelines& pipelines,
                                std::size_t which, const ByType<BlockCosts>& blocks,
                                bool within_memory) {
  const PipelineClass& one = pipelines.classes[which];
  std::vector<StageLoad> loads;
  for (int stage = 0; stage < s.pp; ++stage) {
    const int type = one.type_of(stage);
    const BlockCosts& its = blocks.on(type);
    const TypeContext& context = c.on(type);
    const bool tower = stage < s.tower_stages;
    StageLoad load{.each = pass_of(context, s, its, 1, {}),
                   .fixed = pass_of(context, s, its, 0, stage_ends(c.job.model, s, stage, s.pp)),
                   .least = tower ? 0 : 1,
                   .most = tower ? 0 : c.job.model.layers};
    // All classes have equal layers on a stage, so the smallest memory limits them.
    if (!tower && within_memory)
      for (const PipelineClass& other : pipelines.classes)
        load.most = std::min(load.most, most_layers(c, s, other, stage));
    loads.push_back(load);
  }
  return loads;
}

/// Time of a class with given layers: m · each + once (pipeline_time; with chunks, filling and
/// draining are faster).
ReplicaLoad replica_load(const PipelineClass& one, std::span<const StageLoad> loads,
                         const std::vector<int>& layers, Time hop, const Strategy& s) {
  Time most, sum;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Time time = loads[i].fixed + loads[i].each * layers[i];
    most = std::max(most, time);
    sum += time;
  }
  const int hops = 2 * (static_cast<int>(loads.size()) - 1);
  const Time steady = hops > 0 && !s.pp_overlap ? hop * (2 * s.interleave) : Time();
  const Time others = Time::picoseconds((sum - most).picoseconds() / s.interleave);
  return {.each = most + steady, .once = others + hop * hops - steady, .replicas = one.replicas};
}

struct Balanced {
  std::vector<int> layers{};
  std::vector<BatchShare> shares{};
  Time time = Time::never();
};

class Balance {
 public:
  Balance(const CostContext& c, const Strategy& s, const Pipelines& pipelines,
          const ByType<GroupShapes>& shapes, const ByType<BlockCosts>& blocks,
          const BalanceOptions& options)
      : options_(options),
        strategy_(s),
        pipelines_(pipelines),
        micro_batches_(c.job.batch / s.micro_batch) {
    for (std::size_t i = 0; i < pipelines.classes.size(); ++i) {
      loads_.push_back(loads_of(c, s, pipelines, i, blocks, options.within_memory));
      hops_.push_back(slowest_hop(c, s, shapes, pipelines.classes[i]));
    }
  }

  /// The best layers among candidates: those that are best for one class, improved by moving single
  /// layers if classes differ.
  Balanced best(int layers, const std::vector<int>& even) {
    Balanced best;
    if (!even.empty()) return with(even);
    for (const auto& loads : loads_) {
      const std::vector<int> split =
          split_layers(loads, layers, std::max(1, micro_batches_ / pipelines_.dp));
      if (split.empty()) continue;
      Balanced one = with(split);
      if (one.time < best.time) best = std::move(one);
    }
    if (best.time != Time::never() && differ()) improve(best);
    return best;
  }

 private:
  [[nodiscard]] bool fits(const std::vector<int>& layers) const {
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (layers[i] < loads_[0][i].least || layers[i] > loads_[0][i].most) return false;
    return true;
  }

  [[nodiscard]] Balanced with(const std::vector<int>& layers) const {
    std::vector<ReplicaLoad> replicas;
    for (std::size_t i = 0; i < loads_.size(); ++i)
      replicas.push_back(
          replica_load(pipelines_.classes[i], loads_[i], layers, hops_[i], strategy_));
    Balanced result{.layers = layers};
    // ZeRO 2 and 3 reduce gradients after each micro-batch, in all replicas together.
    if (!options_.uneven_batches || strategy_.zero >= 2)
      result.shares = equal_shares(replicas.size());
    else if (strategy_.interleave > 1)
      result.shares = in_rounds(replicas);
    else
      result.shares = split_batches(replicas, micro_batches_);
    if (result.shares.empty()) return result;
    result.time = Time();
    for (std::size_t i = 0; i < replicas.size(); ++i)
      result.time = std::max(result.time,
                             replicas[i].each * result.shares[i].micro_batches + replicas[i].once);
    return result;
  }

  /// Equal micro-batches for all replicas; empty if they do not divide.
  [[nodiscard]] std::vector<BatchShare> equal_shares(std::size_t classes) const {
    const int each = micro_batches_ / pipelines_.dp;
    if (each * pipelines_.dp != micro_batches_) return {};
    if (strategy_.interleave > 1 && each % pipelines_.pp != 0) return {};
    return std::vector(classes, BatchShare{.micro_batches = each});
  }

  /// With interleaved stages the micro-batches of a replica are a multiple of pp.
  [[nodiscard]] std::vector<BatchShare> in_rounds(std::vector<ReplicaLoad> replicas) const {
    if (micro_batches_ % pipelines_.pp != 0) return {};
    for (ReplicaLoad& load : replicas) load.each = load.each * pipelines_.pp;
    std::vector<BatchShare> shares = split_batches(replicas, micro_batches_ / pipelines_.pp);
    for (BatchShare& share : shares) {
      if (share.fewer > 0) return {};
      share.micro_batches *= pipelines_.pp;
    }
    return shares;
  }

  /// Whether two classes have different types on a stage, and one of them mixes types.
  [[nodiscard]] bool differ() const {
    return pipelines_.classes.size() > 1 &&
           !std::ranges::all_of(pipelines_.classes, &PipelineClass::is_pure);
  }

  /// The first stage of each group of stages with equal loads and equal layers.
  [[nodiscard]] std::vector<std::size_t> unlike(const std::vector<int>& layers) const {
    std::vector<std::size_t> first;
    const auto alike = [&](std::size_t a, std::size_t b) {
      return layers[a] == layers[b] && std::ranges::all_of(loads_, [&](const auto& loads) {
               return loads[a].each == loads[b].each && loads[a].fixed == loads[b].fixed &&
                      loads[a].most == loads[b].most;
             });
    };
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (std::ranges::none_of(first, [&](std::size_t j) { return alike(i, j); }))
        first.push_back(i);
    return first;
  }

  /// Moves one layer between two stages, the best move first, until no move improves the time.
  void improve(Balanced& best) const {
    for (bool better = true; better;) {
      better = false;
      const std::vector<int> from = best.layers;
      const std::vector<std::size_t> stages = unlike(from);
      for (const std::size_t i : stages) {
        for (const std::size_t j : stages) {
          if (i == j || from[i] <= loads_[0][i].least) continue;
          std::vector<int> moved = from;
          --moved[i];
          ++moved[j];
          if (!fits(moved)) continue;
          Balanced one = with(moved);
          if (one.time < best.time) {
            best = std::move(one);
            better = true;
          }
        }
      }
    }
  }

  const BalanceOptions& options_;
  const Strategy& strategy_;
  const Pipelines& pipelines_;
  int micro_batches_;
  std::vector<std::vector<StageLoad>> loads_;
  std::vector<Time> hops_;
};

std::vector<int> even_layers(const Model& model, Strategy s) {
  s.layers.clear();
  std::vector<int> layers;
  for (int stage = 0; stage < s.pp; ++stage)
    layers.push_back(stage_layers(model, s, stage).total());
  return layers;
}

}  // namespace

std::optional<Strategy> balance(const CostContext& c, const Strategy& strategy,
                                const Pipelines& pipelines, const ByType<GroupShapes>& shapes,
                                const ByType<BlockCosts>& blocks, const BalanceOptions& options) {
  Strategy s = strategy;
  s.pp = pipelines.pp;
  s.dp = pipelines.dp;
  s.classes.clear();
  std::vector<int> given = s.layers;
  const bool chunks = s.interleave > 1;
  if (given.empty() && (chunks || !options.uneven_layers)) given = even_layers(c.job.model, s);
  s.layers.clear();
  Balanced best = Balance(c, s, pipelines, shapes, blocks, options).best(c.job.model.layers, given);
  if (best.time == Time::never()) return std::nullopt;
  if (!chunks) s.layers = std::move(best.layers);
  s.classes = pipelines.classes;
  for (std::size_t i = 0; i < s.classes.size(); ++i) {
    s.classes[i].micro_batches = best.shares[i].micro_batches;
    s.classes[i].fewer = best.shares[i].fewer;
  }
  return s;
}

}  // namespace railyard::placement
