#pragma once

#include <optional>

#include "placement/cost/step.hpp"
#include "placement/search/pipelines.hpp"

namespace railyard::placement {

/// Limits on how balance() splits layers and micro-batches.
struct BalanceOptions {
  bool uneven_layers = true;   ///< false: the same number of layers per stage
  bool uneven_batches = true;  ///< false: the same number of micro-batches per replica
  bool within_memory = true;   ///< a stage gets at most the layers that fit in its memory
};

/// The strategy over these pipelines with the layers of each stage (unless it gives them) and the
/// micro-batches of each replica that minimise the step time. std::nullopt if the layers do not fit
/// in memory, or there are fewer micro-batches than replicas.
[[nodiscard]] std::optional<Strategy> balance(const CostContext& context, const Strategy& strategy,
                                              const Pipelines& pipelines,
                                              const ByType<GroupShapes>& shapes,
                                              const ByType<BlockCosts>& blocks,
                                              const BalanceOptions& options);

}  // namespace railyard::placement
