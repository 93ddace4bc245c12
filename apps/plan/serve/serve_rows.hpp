#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/serving/measured/request_fit.hpp"
#include "placement/serving/planner/service_timeline.hpp"
#include "placement/serving/planner/serving_curves.hpp"
#include "placement/serving/planner/serving_plan.hpp"

namespace railyard::apps {

[[nodiscard]] RowTable tabulate_serving(std::span<const placement::serving::ServingOption> options);
[[nodiscard]] RowTable tabulate_requests(std::span<const placement::serving::Served> requests);
[[nodiscard]] RowTable tabulate_comparison(
    std::span<const placement::serving::MeasuredComparison> comparison);
[[nodiscard]] RowTable tabulate_calibration(
    std::span<const placement::serving::RequestFit::Parameter> parameters);
/// Errors of all requests before and after the fit, and of the second half fitted to the first
/// half.
[[nodiscard]] RowTable tabulate_calibration_errors(const placement::serving::RequestFit& fit);
[[nodiscard]] RowTable tabulate_refused(std::span<const placement::serving::RefusedSplit> refused);
[[nodiscard]] RowTable tabulate_pareto(std::span<const placement::serving::ParetoPoint> points);
[[nodiscard]] RowTable tabulate_load_sweep(std::span<const placement::serving::LoadPoint> points);
[[nodiscard]] RowTable tabulate_latency(
    std::span<const placement::serving::LatencyQuantile> quantiles);
[[nodiscard]] RowTable tabulate_steps(std::span<const placement::serving::StepPart> parts);
[[nodiscard]] RowTable tabulate_timeline(std::span<const placement::serving::TimelinePoint> points);

}  // namespace railyard::apps
