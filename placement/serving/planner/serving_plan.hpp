#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/error_summary.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/planner/serving_option.hpp"
#include "placement/serving/service/service_run.hpp"

namespace railyard::placement::serving {

/// A split that cannot serve, with the reason.
struct RefusedSplit {
  std::string cluster{};
  Deployment deployment{};
  std::string why{};
};

/// The options of a plan, and the splits that cannot serve.
struct ServingPlan {
  std::vector<ServingOption> options{};  ///< first those that meet the limits, by cost
  std::vector<RefusedSplit> refused{};
};

/// Why a split cannot serve: formats that the GPU does not support, or too little memory.
[[nodiscard]] std::optional<std::string> why_refused(const PlanCase& c);

/// The plan: for each candidate and split (tp up to a node, pp, experts cut over ranks or spread)
/// the fewest replicas that meet the limits. The number comes from the closed form first. The
/// simulation then adds replicas until the 99th percentiles meet the limits. If no number does, the
/// option with the most replicas is kept. With `disaggregate`, each split is also combined as
/// decode pool with prefill replicas of the split that computes a prompt within the limit for the
/// least GPU time.
[[nodiscard]] ServingPlan plan_serving(const ServingPlanRequest& request);

/// The requests of the plan's traffic, simulated on an option of the plan. TTFTs include the time
/// outside of the engine's steps. `watch` is called for each step.
[[nodiscard]] std::vector<Served> served_requests(const ServingPlanRequest& request,
                                                  const ServingOption& option,
                                                  const StepWatch& watch = {});

/// Errors of simulated requests against the measurements of their trace: means in seconds, errors
/// in per cent.
struct MeasuredComparison {
  std::string quantity{};              ///< "ttft", "tpot"
  double measured = 0, predicted = 0;  ///< means over requests
  core::ErrorSummary errors{};         ///< over single requests
};
/// For TTFT and TPOT, if the trace contains them. Shed requests are left out.
[[nodiscard]] std::vector<MeasuredComparison> compare_with_trace(std::span<const Request> trace,
                                                                 std::span<const Served> served);

/// A point of the curve of throughput per GPU against speed per user.
struct ParetoPoint {
  Deployment deployment{};
  double concurrency = 0;
  double ttft = 0;  ///< seconds
  double tokens_per_s_per_gpu = 0, tokens_per_s_per_user = 0;
};
/// Closed loops with 1, 2, 4, ... clients per replica of each split. Only points that no other
/// point exceeds in both quantities, sorted by ascending tokens per second and user.
[[nodiscard]] std::vector<ParetoPoint> pareto_points(const ServingPlanRequest& request,
                                                     const ServingCandidate& candidate);

}  // namespace railyard::placement::serving
