#pragma once

#include <optional>

#include "placement/cost/step.hpp"
#include "placement/search/pipelines.hpp"

namespace railyard::placement {

/// How balance() may split layers and micro-batches.
struct BalanceOptions {
  bool uneven_layers = true;   ///< false: the same number of layers per stage
  bool uneven_batches = true;  ///< false: the same number of micro-batches per replica
  bool within_memory = true;   ///< a stage gets at most the layers that its memory holds
};

/// The strategy over these pipelines, with the layers of each stage (if it gives none) and the
/// micro-batches of each replica that minimise the step; std::nullopt if the layers do not fit or
/// there are too few micro-batches.
[[nodiscard]] std::optional<Strategy> balance(const CostContext& context, const Strategy& strategy,
                                              const Pipelines& pipelines,
                                              const ByType<GroupShapes>& shapes,
                                              const ByType<Blocks>& blocks,
                                              const BalanceOptions& options);

}  // namespace railyard::placement
