#include "placement/serving/planner/serving_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "placement/serving/service/arrivals.hpp"

namespace railyard::placement::serving {
namespace {

// Power over the thermal design power, Llama 2 70B and BLOOM 176B on A100 (Patel et al., Splitwise,
// ISCA 2024; data/perf_model.csv of Mutinifni/splitwise-sim): medians of decodes with batches of 1
// to 16, and of prompts of 2,048 tokens and more.
constexpr double kDecodePower = 0.62, kPromptPower = 1.0;

/// Simulated requests of an option without a trace: enough for a 99th percentile.
constexpr int kRequests = 1500;
/// Replicas are added by an eighth until the limits are met, at most so often.
constexpr int kTries = 24;

std::vector<Deployment> splits(const Model& model, const ServingCandidate& candidate,
                               const Deployment& base, int most_pp) {
  std::vector<Deployment> all;
  const int node = static_cast<int>(candidate.fabric.gpus_per_node);
  for (int tp = 1; tp <= std::min(node, candidate.gpus); tp *= 2) {
    if (model.heads % tp != 0) break;
    for (int pp = 1; pp <= most_pp && pp * tp <= candidate.gpus; pp *= 2) {
      Deployment d = base;
      d.tp = tp;
      d.pp = pp;
      all.push_back(d);
      if (!model.moe || tp == 1 || model.moe->experts % tp != 0) continue;
      d.ep = tp;
      all.push_back(d);
    }
  }
  return all;
}

/// A split with its model of a step.
struct Case {
  const ServingPlanRequest& request;
  const ServingCandidate& candidate;
  Deployment deployment;
  ServingMemory memory;
  StepModel step;

  [[nodiscard]] double seconds(const StepBatch& batch) const {
    return (1 + request.margin) * step.time(batch).total();
  }
};

/// Within the limits, and a little inside for means, which 99th percentiles are above.
bool meets_mean(const ServingDemand& demand, const OpenResult& load, double margin) {
  const double longer = 1 + margin;
  return load.stable && (demand.tpot == 0 || longer * load.step <= demand.tpot) &&
         (demand.ttft == 0 || longer * load.ttft <= demand.ttft);
}

OpenResult load_of(const Case& c, int replicas) {
  const ServingDemand& d = c.request.demand;
  return open_load(
      c.step, c.memory,
      {.rate = (1 + c.request.margin) * d.rate / replicas, .input = d.input, .output = d.output});
}

std::vector<Request> requests_of(const ServingDemand& d) {
  if (!d.trace.empty()) return d.trace;
  return random_arrivals({.rate = d.rate,
                          .cv = d.cv,
                          .requests = kRequests,
                          .input = static_cast<int>(std::lround(d.input)),
                          .output = static_cast<int>(std::lround(d.output)),
                          .seed = d.seed});
}

void simulate(const Case& c, const std::vector<Request>& requests, ServingOption& option) {
  const Deployment& d = c.deployment;
  const ServingDemand& demand = c.request.demand;
  const double block = c.memory.kv_token_bytes * d.block_tokens;
  const double windows = c.memory.kv_window_bytes * d.max_sequences;
  const ServiceResult result = run_service(
      requests,
      {.replicas = option.replicas,
       .replica = {.token_budget = d.token_budget,
                   .max_sequences = d.max_sequences,
                   .block_tokens = d.block_tokens,
                   .blocks = static_cast<std::int64_t>((c.memory.kv_pool - windows) / block)}},
      [&](const StepBatch& batch) { return c.seconds(batch); });
  // What the simulation of steps does not see.
  const double outside = c.step.request_seconds() + pipeline_seconds(c.step, demand.input);
  option.ttft = result.ttft();
  for (double Quantiles::*q : {&Quantiles::mean, &Quantiles::p50, &Quantiles::p90, &Quantiles::p99})
    option.ttft.*q += outside;
  option.tpot = result.tpot();
  const double any = 1e30;
  option.goodput = result.goodput(demand.ttft > 0 ? demand.ttft - outside : any,
                                  demand.tpot > 0 ? demand.tpot : any);
  option.tokens_per_s =
      demand.trace.empty() ? demand.rate * demand.output : result.output_tokens_per_s();
  // Random arrivals beyond saturation wait ever longer, however long the simulation is.
  const bool keeps_up = option.load.stable || !demand.trace.empty();
  option.meets = keeps_up && result.shed == 0 &&
                 (demand.ttft == 0 || option.ttft.p99 <= demand.ttft) &&
                 (demand.tpot == 0 || option.tpot.p99 <= demand.tpot);
}

void price(const Case& c, ServingOption& option) {
  if (c.candidate.price_per_hour > 0)
    option.cost_per_hour = option.gpus() * c.candidate.price_per_hour;
  const double share = option.load.use * kPromptPower + (1 - option.load.use) * kDecodePower;
  option.power = option.gpus() * c.candidate.gpu.power.watts() * share;
}

std::string why_too_large(const Case& c) {
  const Deployment& d = c.deployment;
  const double tokens = c.request.demand.input + c.request.demand.output;
  const auto tp = smallest_tp(c.request.model, c.candidate.gpu, d, tokens, 1024);
  std::string text = fmt::format(
      "weights of {:.1f} GB and activations of {:.1f} GB leave {:.1f} GB for the KV cache",
      c.memory.weights / 1e9, c.memory.activations / 1e9, c.memory.kv_pool / 1e9);
  return tp ? fmt::format("{}; the smallest tp that fits is {}", text, *tp)
            : text + "; no tp that divides the heads fits";
}

/// The option with the fewest replicas that meets the limits, else why there is none.
std::optional<ServingOption> option_of(const Case& c, const std::vector<Request>& requests,
                                       std::string& why) {
  const ServingDemand& d = c.request.demand;
  ServingOption option{
      .cluster = c.candidate.cluster, .deployment = c.deployment, .memory = c.memory};
  option.most = saturation(c.step, c.memory, d.input, d.output);
  if (option.most.rate <= 0) {
    why = fmt::format("cannot keep up with any rate ({})", name_of(option.most.limit));
    return std::nullopt;
  }
  const int most = c.candidate.gpus / c.deployment.gpus();
  const double needed = (1 + c.request.margin) * d.rate / option.most.rate;
  int replicas = static_cast<int>(std::min(1e9, std::ceil(needed)));
  while (replicas < most && !meets_mean(d, option.load = load_of(c, replicas), c.request.margin))
    replicas += std::max(1, replicas / 8);
  if (most == 0) {
    why = fmt::format("a replica needs {} GPUs of {}", c.deployment.gpus(), c.candidate.gpus);
    return std::nullopt;
  }
  for (int i = 0; i < kTries; ++i) {
    option.replicas = std::min(replicas, most);
    option.load = load_of(c, option.replicas);
    simulate(c, requests, option);
    if (option.meets || option.replicas == most) break;
    replicas += std::max(1, replicas / 8);
  }
  price(c, option);
  return option;
}

void mark_pareto(std::vector<ServingOption>& options) {
  for (ServingOption& one : options)
    one.is_pareto = std::ranges::none_of(options, [&](const ServingOption& other) {
      return &other != &one && other.tokens_per_s_per_gpu() >= one.tokens_per_s_per_gpu() &&
             other.tokens_per_s_per_user() >= one.tokens_per_s_per_user() &&
             (other.tokens_per_s_per_gpu() > one.tokens_per_s_per_gpu() ||
              other.tokens_per_s_per_user() > one.tokens_per_s_per_user());
    });
}

Case case_of(const ServingPlanRequest& request, const ServingCandidate& candidate,
             const Deployment& deployment, int tabulated) {
  return {.request = request,
          .candidate = candidate,
          .deployment = deployment,
          .memory = serving_memory(request.model, candidate.gpu, deployment),
          .step = StepModel({.model = request.model,
                             .gpu = candidate.gpu,
                             .fabric = candidate.fabric,
                             .deployment = deployment,
                             .efficiency = fitted_efficiency(deployment.engine),
                             .tabulated_tokens = tabulated})};
}

bool fits(const Case& c) {
  const ServingDemand& d = c.request.demand;
  return c.memory.sequences(d.input + d.output, c.deployment.block_tokens) >= 1;
}

}  // namespace

std::optional<double> ServingOption::cost_per_million() const {
  if (!cost_per_hour || tokens_per_s <= 0) return std::nullopt;
  return *cost_per_hour / (tokens_per_s * 3600) * 1e6;
}

ServingPlan plan_serving(const ServingPlanRequest& request) {
  ServingPlan plan;
  const std::vector<Request> requests = requests_of(request.demand);
  for (const ServingCandidate& candidate : request.candidates) {
    for (const Deployment& d : splits(request.model, candidate, request.base, request.most_pp)) {
      const ServingMemory memory = serving_memory(request.model, candidate.gpu, d);
      const bool too_large =
          memory.sequences(request.demand.input + request.demand.output, d.block_tokens) < 1;
      const Case c = case_of(request, candidate, d, too_large ? 0 : d.token_budget);
      std::string why = too_large ? why_too_large(c) : "";
      auto option = too_large ? std::nullopt : option_of(c, requests, why);
      if (option)
        plan.options.push_back(std::move(*option));
      else
        plan.refused.push_back({candidate.cluster, d, why});
    }
  }
  mark_pareto(plan.options);
  std::ranges::stable_sort(plan.options, {}, [](const ServingOption& o) {
    const double cost = o.cost_per_hour.value_or(1e12);
    return std::tuple(!o.meets, o.meets ? cost : -o.goodput, o.gpus(), o.tpot.mean);
  });
  return plan;
}

std::vector<ParetoPoint> pareto_points(const ServingPlanRequest& request,
                                       const ServingCandidate& candidate) {
  const ServingDemand& d = request.demand;
  std::vector<ParetoPoint> points;
  for (const Deployment& split : splits(request.model, candidate, request.base, request.most_pp)) {
    const Case c = case_of(request, candidate, split, 0);
    if (!fits(c)) continue;
    const double most = std::min<double>(
        split.max_sequences, c.memory.sequences(d.input + d.output, split.block_tokens));
    for (double clients = 1; clients <= most; clients *= 2) {
      const ClosedResult r =
          closed_loop(c.step, {.concurrency = clients, .input = d.input, .output = d.output});
      points.push_back({.deployment = split,
                        .concurrency = clients,
                        .ttft = r.ttft,
                        .tokens_per_s_per_gpu = r.tokens_per_s / split.gpus(),
                        .tokens_per_s_per_user = 1 / r.tpot});
    }
  }
  std::ranges::sort(points, {}, [](const ParetoPoint& p) {
    return std::tuple(-p.tokens_per_s_per_user, -p.tokens_per_s_per_gpu);
  });
  std::vector<ParetoPoint> best;
  for (const ParetoPoint& p : points)
    if (best.empty() || p.tokens_per_s_per_gpu > best.back().tokens_per_s_per_gpu)
      best.push_back(p);
  std::ranges::reverse(best);
  return best;
}

}  // namespace railyard::placement::serving
