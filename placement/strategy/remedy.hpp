#pragma once

#include <optional>
#include <string>

#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// What to change of a strategy that does not fit so that it does: as few as possible of, in this
/// order, ZeRO 1, sequence parallelism, full recomputation, micro-batches of one sequence, ZeRO 3
/// without a pipeline, twice the stages or tensor ranks (at the replicas' cost, again and again).
/// "zero=1,recompute=full"; nothing where all of it does not help.
[[nodiscard]] std::optional<std::string> what_would_fit(const CostContext& context,
                                                        const Strategy& strategy);

}  // namespace railyard::placement
