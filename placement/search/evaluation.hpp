#pragma once

#include <array>
#include <map>
#include <optional>

#include "placement/search/balance.hpp"
#include "placement/search/shortlist.hpp"

namespace railyard::placement {

/// Strategies that differ only in ZeRO, shard groups, overlap of gradients and sends, and
/// offloading. They share the groups and the times of the parts of the model.
struct StrategyFamily {
  ByType<GroupShapes> shapes;
  ByType<Blocks> blocks;
  const Pipelines* pipelines = nullptr;  ///< over several types; balance() adds layers and batches
  Time bound{};        ///< at most the time of any of them with the recomputation that they name
  Time least_bound{};  ///< the same without recomputation
};

/// The innermost loops of a search: every strategy of a family goes to the shortlist.
class Evaluation {
 public:
  /// All must outlive it.
  Evaluation(const CostContext& context, const SearchSpace& space, Shortlist& shortlist)
      : context_(context), space_(space), shortlist_(shortlist) {}

  /// Considers every strategy of the family, with the fewest recomputed layers that make it fit.
  void evaluate(Strategy strategy, const StrategyFamily& family);

 private:
  static constexpr std::size_t kOffloads = 8;  ///< subsets of optimizer, activations, weights

  /// A family with one kind of sharding, and what its strategies share by kind of offloading.
  struct ShardedFamily {
    StrategyFamily family;
    std::array<std::optional<FullestGpu>, kOffloads> memory{};
    std::array<std::optional<int>, kOffloads> recomputed_layers{};  ///< fewest_recomputed_layers
    /// balance() by kind of offloading and overlap of sends; std::nullopt: impossible.
    std::map<std::size_t, std::optional<Strategy>> balanced{};
  };

  [[nodiscard]] std::vector<int> shard_groups(const Strategy& strategy) const;
  void overlaps(Strategy strategy, ShardedFamily& sharded);
  void offloads(Strategy strategy, ShardedFamily& sharded);
  void consider(const Strategy& strategy, ShardedFamily& sharded, std::size_t offload);
  void consider_partial_recompute(Strategy strategy, const ShardedFamily& sharded,
                                  std::optional<int>& recomputed_layers);
  const Strategy* balanced(const Strategy& strategy, ShardedFamily& sharded, std::size_t key);
  void keep_nearest_without_limits(const Strategy& strategy, const StrategyFamily& family);
  [[nodiscard]] int fewest_recomputed_layers(Strategy strategy) const;

  const CostContext& context_;
  const SearchSpace& space_;
  Shortlist& shortlist_;
  int unlimited_ = 0;  ///< calls of keep_nearest_without_limits
};

/// The choices of the space for balance().
[[nodiscard]] BalanceOptions balance_options(const SearchSpace& space);

}  // namespace railyard::placement
