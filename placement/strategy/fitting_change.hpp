#pragma once

#include <optional>
#include <string>

#include "placement/cost/layer_cost.hpp"

namespace railyard::placement {

/// The fewest changes that make a strategy fit in memory, as "zero=1,recompute=full". Changes are
/// tried in this order: ZeRO 1, sequence parallelism, full recomputation, micro-batches of one
/// sequence, ZeRO 3 without a pipeline, then twice the stages or tensor ranks with fewer replicas,
/// repeatedly. Empty if they do not help.
[[nodiscard]] std::optional<std::string> fitting_change(const CostContext& context,
                                                        const Strategy& strategy);

}  // namespace railyard::placement
