#pragma once

#include <optional>

#include "placement/cost/step.hpp"
#include "placement/search/pipelines.hpp"

namespace railyard::placement {

/// How layers and micro-batches may be dealt.
struct Dealing {
  bool uneven_layers = true;   ///< else evenly
  bool uneven_batches = true;  ///< else the same for every replica
  bool within_memory = true;   ///< layers are limited to the memory of their stages
};

/// The strategy over these pipelines, with layers for its stages (where it gives none) and
/// micro-batches for its replicas; std::nullopt where layers do not fit, or there are too few
/// micro-batches.
[[nodiscard]] std::optional<Strategy> balance(const CostContext& context, const Strategy& strategy,
                                              const Pipelines& way,
                                              const ByType<GroupShapes>& shapes,
                                              const ByType<Blocks>& blocks, const Dealing& dealing);

}  // namespace railyard::placement
