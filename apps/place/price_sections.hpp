#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/simulate/collective_prices.hpp"

namespace railyard::apps {

/// A row per collective of a step: its time at nominal rates, the fraction of the rate available
/// during a step, and its time in the step and alone.
[[nodiscard]] RowTable tabulate_prices(const placement::CostContext& context,
                                       std::span<const placement::CollectivePrice> prices);

}  // namespace railyard::apps
