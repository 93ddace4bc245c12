#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error_summary.hpp"
#include "placement/cost/closed_form.hpp"
#include "placement/serving/load/closed_loop.hpp"
#include "placement/serving/load/open_load.hpp"
#include "placement/serving/service/service_run.hpp"

namespace railyard::placement::serving {

/// Traffic and limits.
struct ServingDemand {
  double rate = 1;    ///< requests per second
  double input = 1;   ///< tokens of a prompt, mean
  double output = 1;  ///< tokens of an answer, mean
  double ttft = 0;    ///< limit in seconds; 0: none
  double tpot = 0;    ///< limit in seconds; 0: none
  double cv = 1;      ///< of the gaps between arrivals
  std::uint64_t seed = 1;
  double cached = 0;  ///< share of a prompt's tokens that is in the KV cache, below 1
  /// A trace in place of random arrivals; its rate and mean lengths must be those above.
  std::vector<Request> trace{};
};

/// Machines to choose from.
struct ServingCandidate {
  std::string cluster{};
  Processor gpu{};
  NodeFabric fabric{};
  int gpus = 0;               ///< at most
  double price_per_hour = 0;  ///< of a GPU; 0: not known
};

/// A way to serve: a split of the model, and so many replicas of it.
struct ServingOption {
  std::string cluster{};
  Deployment deployment{};
  int replicas = 0;
  /// Of disaggregated pools: `deployment` and `replicas` decode, these compute the prompts.
  std::optional<Deployment> prefill{};
  int prefill_replicas = 0;
  double prefill_busy = 0;  ///< share of the time that a prefill replica computes, simulated
  double cached_share = 0;  ///< of the prompts' tokens, simulated
  ServingMemory memory{};
  OpenResult load{};         ///< of a replica at its share of the rate, by closed form
  Saturation most{};         ///< of a replica
  Quantiles ttft{}, tpot{};  ///< simulated
  double goodput = 0;        ///< share of requests within both limits, simulated
  double tokens_per_s = 0;   ///< output tokens of all replicas
  std::optional<double> cost_per_hour{};
  double power = 0;  ///< W of all GPUs; 0: not known
  bool meets = false;
  bool is_pareto = false;

  [[nodiscard]] int gpus() const {
    return replicas * deployment.gpus() + (prefill ? prefill_replicas * prefill->gpus() : 0);
  }
  [[nodiscard]] double tokens_per_s_per_gpu() const { return tokens_per_s / gpus(); }
  [[nodiscard]] double tokens_per_s_per_user() const { return tpot.mean > 0 ? 1 / tpot.mean : 0; }
  /// Per million output tokens.
  [[nodiscard]] std::optional<double> cost_per_million() const;
};

/// A split that is not an option, and why.
struct RefusedSplit {
  std::string cluster{};
  Deployment deployment{};
  std::string why{};
};

struct ServingPlan {
  std::vector<ServingOption> options{};  ///< those that meet the limits first, then by cost
  std::vector<RefusedSplit> refused{};
};

/// What the plan is made with.
struct ServingPlanRequest {
  const Model& model;
  ServingDemand demand{};
  std::vector<ServingCandidate> candidates{};
  Deployment base{};             ///< formats, engine and its settings; the splits are searched
  const Model* draft = nullptr;  ///< of base.speculation; null: a layer of the model drafts
  RouterPolicy router = RouterPolicy::least_requests;
  /// Also plan pools of replicas that compute prompts and others that decode.
  bool disaggregate = false;
  int most_pp = 4;
  /// Times are taken this much longer than predicted: the 90th percentile of the calibration's
  /// errors (results/serving.md).
  double margin = 0;
};

/// For each candidate and split (tp up to a node, pp, experts cut or spread) the fewest replicas
/// that meet the limits: first by closed form, then simulated, with replicas added until the 99th
/// percentiles are within the limits. Where none does, the option with the most replicas is kept.
/// With `disaggregate` also, for each split that decodes, prefill replicas of the split that
/// computes a prompt within the limit for the least GPU time.
[[nodiscard]] ServingPlan plan_serving(const ServingPlanRequest& request);

/// Each request of the plan's traffic as an option of that plan serves it; TTFTs include the time
/// outside of the engine's steps.
[[nodiscard]] std::vector<Served> served_requests(const ServingPlanRequest& request,
                                                  const ServingOption& option);

/// How far served requests are from what their trace measured; means in seconds, errors in per
/// cent.
struct MeasuredComparison {
  std::string quantity{};              ///< "ttft", "tpot"
  double measured = 0, predicted = 0;  ///< means over requests
  core::ErrorSummary errors{};         ///< of single requests
};
/// Of TTFT and TPOT, as far as the trace has them. Requests that were shed do not count.
[[nodiscard]] std::vector<MeasuredComparison> compare_with_trace(const std::vector<Request>& trace,
                                                                 const std::vector<Served>& served);

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
