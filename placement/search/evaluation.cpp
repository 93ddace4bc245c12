#include "placement/search/evaluation.hpp"

#include <algorithm>

#include "placement/strategy/divisors.hpp"
#include "placement/strategy/stages.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

/// Whether frameworks overlap the all-to-all of one micro-batch with another's computation:
/// Megatron-LM (--overlap-moe-expert-parallel-comm) without a pipeline or with chunks, DualPipe
/// always.
bool may_overlap_experts(const Strategy& s) {
  return s.pp == 1 || s.interleave > 1 || s.schedule == PipelineSchedule::dualpipe;
}

}  // namespace

BalanceOptions balance_options(const SearchSpace& space) {
  return {.uneven_layers = space.uneven_layers, .uneven_batches = space.uneven_batches};
}

/// Sizes of shard groups to try; 0: all replicas.
std::vector<int> Evaluation::shard_groups(const Strategy& s) const {
  std::vector<int> groups{0};
  if (s.zero == 0 || !space_.shard_groups) return groups;
  for (const int group : divisors(s.replicas(), s.replicas() / 2))
    if (group > 1) groups.push_back(group);
  return groups;
}

void Evaluation::evaluate(Strategy s, const StrategyFamily& family) {
  if (s.ep_overlap && !space_.ep_overlap && !may_overlap_experts(s)) return;
  // ZeRO 2 and 3 would scatter gradients after every micro-batch of a pipeline.
  const bool allows_all_stages = s.pp == 1 || space_.sharded_stages;
  const int highest = s.replicas() == 1 ? 0 : allows_all_stages ? 3 : 1;
  for (s.zero = 0; s.zero <= highest; ++s.zero) {
    for (const int group : shard_groups(s)) {
      s.shard_group = group;
      ShardedFamily sharded{.family = family};
      std::vector<GroupShapes> shapes;
      if (group > 0) {
        shapes = type_shapes(context_, s);
        sharded.family.shapes = shapes;
      }
      overlaps(s, sharded);
    }
  }
}

void Evaluation::overlaps(Strategy s, ShardedFamily& sharded) {
  for (const bool dp_overlap : {true, false}) {
    if (dp_overlap && (!space_.overlap || s.replicas() == 1)) continue;
    s.dp_overlap = dp_overlap;
    for (const bool pp_overlap : {true, false}) {
      if (pp_overlap && (!space_.overlap || s.interleave == 1)) continue;
      s.pp_overlap = pp_overlap;
      offloads(s, sharded);
    }
  }
}

void Evaluation::offloads(Strategy s, ShardedFamily& sharded) {
  const std::size_t count = space_.offload ? kOffloads : 1;
  for (std::size_t offload = 0; offload < count; ++offload) {
    s.offload_optimizer = (offload & 1) != 0;
    s.offload_activations = (offload & 2) != 0;
    s.offload_weights = (offload & 4) != 0;
    if (sharded.family.pipelines == nullptr) {
      consider(s, sharded, offload);
      continue;
    }
    const Strategy* const found = balanced(s, sharded, 2 * offload + (s.pp_overlap ? 1 : 0));
    if (found == nullptr) continue;
    Strategy one = *found;
    one.dp_overlap = s.dp_overlap;
    consider(one, sharded, offload);
  }
}

void Evaluation::consider(const Strategy& s, ShardedFamily& sharded, std::size_t offload) {
  const StrategyFamily& family = sharded.family;
  shortlist_.consider(s, family.shapes, family.blocks, family.pipelines, family.bound,
                      sharded.memory[offload]);
  if (s.recompute == Recompute::full)
    consider_partial_recompute(s, sharded, sharded.recomputed_layers[offload]);
}

/// The strategy with layers and micro-batches by balance(); null if none is valid. `key`: the
/// settings in which it differs from others of the sharded family.
const Strategy* Evaluation::balanced(const Strategy& s, ShardedFamily& sharded, std::size_t key) {
  const StrategyFamily& family = sharded.family;
  const auto [known, is_new] = sharded.balanced.try_emplace(key);
  if (is_new) {
    known->second = balance(context_, s, *family.pipelines, family.shapes, family.blocks,
                            balance_options(space_));
    if (!known->second && shortlist_.is_empty()) keep_nearest_without_limits(s, family);
    if (known->second && !is_valid(context_.job, *known->second, known->second->gpus()))
      known->second.reset();
  }
  return known->second ? &*known->second : nullptr;
}

/// If no split of layers fits in memory, the split by speed alone may still be the nearest
/// strategy. Only the first families are tried, because this is slow.
void Evaluation::keep_nearest_without_limits(const Strategy& s, const StrategyFamily& family) {
  constexpr int kMost = 10'000;
  if (++unlimited_ > kMost) return;
  BalanceOptions unlimited = balance_options(space_);
  unlimited.within_memory = false;
  const auto one = balance(context_, s, *family.pipelines, family.shapes, family.blocks, unlimited);
  if (!one || !is_valid(context_.job, *one, one->gpus())) return;
  shortlist_.count();
  shortlist_.count_too_large();
  shortlist_.keep_nearest(*one, family.shapes, family.blocks, fullest_gpu(context_, *one));
}

/// Proposes the strategy with the fewest recomputed layers that fit, if these are some but not all.
void Evaluation::consider_partial_recompute(Strategy s, const ShardedFamily& sharded,
                                            std::optional<int>& recomputed_layers) {
  if (shortlist_.is_stopped()) return;
  const StrategyFamily& family = sharded.family;
  if (shortlist_.is_too_slow(family.least_bound, s, family.pipelines)) {
    shortlist_.count_too_slow();
    return;
  }
  if (!recomputed_layers) recomputed_layers = fewest_recomputed_layers(s);
  if (*recomputed_layers > 0) {
    s.recompute_layers = *recomputed_layers;
    std::optional<FullestGpu> memory;
    shortlist_.consider(s, family.shapes, family.blocks, family.pipelines, family.least_bound,
                        memory);
  } else if (*recomputed_layers < 0) {
    shortlist_.count();
    shortlist_.count_too_large();
  } else {
    shortlist_.count_too_slow();
  }
}

/// The fewest recomputed layers per rank with which the strategy fits; 0 if it needs none or all,
/// negative if it does not fit even with all.
int Evaluation::fewest_recomputed_layers(Strategy s) const {
  const auto fits = [&](Recompute recompute, int layers) {
    s.recompute = recompute;
    s.recompute_layers = layers;
    return fullest_gpu(context_, s).fits;
  };
  if (!fits(Recompute::full, 0)) return -1;
  if (fits(Recompute::none, 0)) return 0;
  int too_few = 0, enough = 0;
  for (int stage = 0; stage < s.pp; ++stage)
    enough = std::max(enough, stage_layers(context_.job.model, s, stage).total());
  const int all = enough;
  while (enough - too_few > 1) {
    const int middle = (too_few + enough) / 2;
    (fits(Recompute::full, middle) ? enough : too_few) = middle;
  }
  return enough < all ? enough : 0;
}

}  // namespace railyard::placement
