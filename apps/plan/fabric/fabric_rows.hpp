#pragma once

#include "apps/output/rows.hpp"
#include "placement/capacity/fabric/fabric_plan.hpp"

namespace railyard::apps {

/// A row per fabric, with every column (docs/result-files.md).
[[nodiscard]] RowTable tabulate_fabrics(const placement::FabricPlan& plan);
/// The most important of these columns, for the terminal.
[[nodiscard]] RowTable tabulate_fabrics_in_short(const placement::FabricPlan& plan);

/// A row per part of each fabric, with the source of its price.
[[nodiscard]] RowTable tabulate_bills(const placement::FabricPlan& plan);
/// The bill of the fabric to buy, without sources; empty if there is none.
[[nodiscard]] RowTable tabulate_best_bill(const placement::FabricPlan& plan);

/// The plan's assumptions: value, unit, source, and the flag that changes it.
[[nodiscard]] RowTable tabulate_assumptions(const placement::FabricPlanRequest& request);

}  // namespace railyard::apps
