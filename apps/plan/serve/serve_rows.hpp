#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/serving/measured/request_fit.hpp"
#include "placement/serving/planner/service_timeline.hpp"
#include "placement/serving/planner/serving_curves.hpp"
#include "placement/serving/planner/serving_plan.hpp"

namespace railyard::apps {

/// Tables of a serving plan (docs/result-files.md): a row per option.
[[nodiscard]] RowTable tabulate_serving(std::span<const placement::serving::ServingOption> options);
/// A row per simulated request.
[[nodiscard]] RowTable tabulate_requests(std::span<const placement::serving::Served> requests);
/// A row per measured quantity of a trace, with the prediction.
[[nodiscard]] RowTable tabulate_comparison(
    std::span<const placement::serving::MeasuredComparison> comparison);
/// A row per parameter of a calibration.
[[nodiscard]] RowTable tabulate_calibration(
    std::span<const placement::serving::RequestFit::Parameter> parameters);
/// Errors of all requests before and after the fit, and of the second half fitted to the first
/// half.
[[nodiscard]] RowTable tabulate_calibration_errors(const placement::serving::RequestFit& fit);
/// A row per split that cannot serve, with the reason.
[[nodiscard]] RowTable tabulate_refused(std::span<const placement::serving::RefusedSplit> refused);
/// A row per point of throughput per GPU against speed per user.
[[nodiscard]] RowTable tabulate_pareto(std::span<const placement::serving::ParetoPoint> points);
/// A row per load.
[[nodiscard]] RowTable tabulate_load_sweep(std::span<const placement::serving::LoadPoint> points);
/// A row per latency and share of the requests.
[[nodiscard]] RowTable tabulate_latency(
    std::span<const placement::serving::LatencyQuantile> quantiles);
/// A row per part of a step.
[[nodiscard]] RowTable tabulate_steps(std::span<const placement::serving::StepPart> parts);
/// A row per pool and time interval.
[[nodiscard]] RowTable tabulate_timeline(std::span<const placement::serving::TimelinePoint> points);

}  // namespace railyard::apps
