#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/simulate/collective_prices.hpp"

namespace railyard::apps {

/// A line per collective of a step: its time by nominal rates, the share of the rate that a step
/// leaves, its time in the step and alone.
[[nodiscard]] RowTable tabulate_prices(const placement::CostContext& context,
                                       std::span<const placement::CollectivePrice> prices);

}  // namespace railyard::apps
