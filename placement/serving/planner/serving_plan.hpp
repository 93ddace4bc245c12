#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/error_summary.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/planner/serving_option.hpp"
#include "placement/serving/service/service_run.hpp"

namespace railyard::placement::serving {

/// A split that cannot be an option, with the reason.
struct RefusedSplit {
  std::string cluster{};
  Deployment deployment{};
  std::string why{};
};

struct ServingPlan {
  std::vector<ServingOption> options{};  ///< those that meet the limits first, then by cost
  std::vector<RefusedSplit> refused{};
};

/// Why a split cannot serve: formats that the GPU does not compute, or too little memory.
[[nodiscard]] std::optional<std::string> why_refused(const PlanCase& c);

/// For each candidate and split (tp up to a node, pp, experts cut or spread) the fewest replicas
/// that meet the limits: first by closed form, then simulated, with replicas added until the 99th
/// percentiles are within the limits. Where none does, the option with the most replicas is kept.
/// With `disaggregate` also, for each split that decodes, prefill replicas of the split that
/// computes a prompt within the limit for the least GPU time.
[[nodiscard]] ServingPlan plan_serving(const ServingPlanRequest& request);

/// Each request of the plan's traffic as an option of that plan serves it; TTFTs include the time
/// outside of the engine's steps. `watch` sees the steps.
[[nodiscard]] std::vector<Served> served_requests(const ServingPlanRequest& request,
                                                  const ServingOption& option,
                                                  const StepWatch& watch = {});

/// Deviation of simulated requests from the measurements in their trace: means in seconds, errors
/// in per cent.
struct MeasuredComparison {
  std::string quantity{};              ///< "ttft", "tpot"
  double measured = 0, predicted = 0;  ///< means over requests
  core::ErrorSummary errors{};         ///< of single requests
};
/// Of TTFT and TPOT, as far as the trace has them. Requests that were shed do not count.
[[nodiscard]] std::vector<MeasuredComparison> compare_with_trace(std::span<const Request> trace,
                                                                 std::span<const Served> served);

/// A point of the plot of throughput per GPU against speed per user.
struct ParetoPoint {
  Deployment deployment{};
  double concurrency = 0;
  double ttft = 0;  ///< seconds
  double tokens_per_s_per_gpu = 0, tokens_per_s_per_user = 0;
};
/// By closed loop with 1, 2, 4, ... clients per replica of each split, what no other point beats in
/// both; ascending tokens per second and user.
[[nodiscard]] std::vector<ParetoPoint> pareto_points(const ServingPlanRequest& request,
                                                     const ServingCandidate& candidate);

}  // namespace railyard::placement::serving
