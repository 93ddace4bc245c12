#pragma once

#include <span>
#include <string>

#include "apps/output/rows.hpp"
#include "placement/serving/planner/serving_plan.hpp"

namespace railyard::apps {

[[nodiscard]] RowTable tabulate_serving(std::span<const placement::serving::ServingOption> options);
[[nodiscard]] RowTable tabulate_requests(std::span<const placement::serving::Served> requests);
[[nodiscard]] RowTable tabulate_comparison(
    std::span<const placement::serving::MeasuredComparison> comparison);
[[nodiscard]] RowTable tabulate_refused(std::span<const placement::serving::RefusedSplit> refused);
[[nodiscard]] RowTable tabulate_pareto(std::span<const placement::serving::ParetoPoint> points);

/// "tp 4", "tp 4 pp 2 ep 4".
[[nodiscard]] std::string split_text(const placement::serving::Deployment& deployment);

}  // namespace railyard::apps
