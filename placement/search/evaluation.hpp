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
  ByType<BlockCosts> blocks;
  const Pipelines* pipelines = nullptr;  ///< over several types: balance() adds layers and
                                         ///< micro-batches; else null
  Time bound{};        ///< lower bound of the step time with the recomputation of the strategies
  Time least_bound{};  ///< lower bound without recomputation
};

/// The innermost loops of a search: proposes every strategy of a family to the shortlist.
class Evaluation {
 public:
  /// All arguments must outlive it.
  Evaluation(const CostContext& context, const SearchSpace& space, Shortlist& shortlist)
      : context_(context), space_(space), shortlist_(shortlist) {}

  /// Proposes every strategy of the family, also with the fewest recomputed layers that make it
  /// fit.
  void evaluate(Strategy strategy, const StrategyFamily& family);

 private:
  static constexpr std::size_t kOffloads = 8;  ///< subsets of optimizer, activations, weights

  /// The strategies of a family with the same ZeRO stage and shard group, and values that they
  /// share per combination of offloads.
  struct ShardedFamily {
    StrategyFamily family;
    std::array<std::optional<FullestGpu>, kOffloads> memory{};
    std::array<std::optional<int>, kOffloads> recomputed_layers{};  ///< fewest_recomputed_layers
    /// Result of balance() by offloads and overlap of sends; std::nullopt: impossible.
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

/// The limits that a search space sets for balance().
[[nodiscard]] BalanceOptions balance_options(const SearchSpace& space);

}  // namespace railyard::placement
