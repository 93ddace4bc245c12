#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placement/serving/planner/serving_option.hpp"
#include "placement/serving/service/request.hpp"

namespace railyard::placement::serving {

/// An option at another load; times in seconds.
struct LoadPoint {
  double rate = 0;        ///< requests per second, all replicas
  double saturation = 0;  ///< rate / saturation rate that the plan assumes
  Quantiles ttft{}, tpot{};
  double goodput = 0;       ///< share of requests within both limits
  double tokens_per_s = 0;  ///< output tokens of all replicas
  bool is_knee = false;
};
/// The option at 0.1, 0.2, ... 1.0, 1.1 and 1.2 times the saturation rate that the plan assumes,
/// each simulated with the plan's requests at that rate. The knee is the largest load at which the
/// 99th percentile of TTFT is at most twice that at the smallest load.
[[nodiscard]] std::vector<LoadPoint> load_sweep(const ServingPlanRequest& request,
                                                const ServingOption& option);

/// A quantile of a time over served requests.
struct LatencyQuantile {
  std::string_view quantity{};  ///< "ttft", "tpot", "e2e"
  double share = 0;             ///< share of the requests with at most `seconds`
  double seconds = 0;
};
/// Shares 0.01, 0.05, 0.1, ... 0.95, 0.99 of each quantity. Empty if no request was served.
[[nodiscard]] std::vector<LatencyQuantile> latency_quantiles(std::span<const Served> served);

/// A part of an option's predicted step at its load, without the margin.
struct StepPart {
  std::string_view step{};  ///< "decode", or "decode and prompt"
  std::string_view part{};  ///< "host", "linear", "experts", "attention", "communication"
  double seconds = 0;
  double share = 0;  ///< share of the step's time
};
/// Parts of a decode step with the option's mean number of sequences, and of such a step with one
/// prompt (with pools: of a prompt alone on a prefill replica).
[[nodiscard]] std::vector<StepPart> step_parts(const ServingPlanRequest& request,
                                               const ServingOption& option);

}  // namespace railyard::placement::serving
