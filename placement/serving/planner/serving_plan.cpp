#include "placement/serving/planner/serving_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "placement/serving/load/closed_loop.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/step/format_support.hpp"

namespace railyard::placement::serving {
namespace {

/// Replicas are added in steps of 1/8 until the limits are met, at most this many times.
constexpr int kTries = 24;

/// Whether the means of the closed form, increased by the margin, meet the limits. 99th percentiles
/// are higher; the simulation checks them.
bool meets_mean(const ServingDemand& demand, const OpenResult& load, double margin) {
  const double longer = 1 + margin;
  return load.stable && (demand.tpot == 0 || longer * load.step <= demand.tpot) &&
         (demand.ttft == 0 || longer * load.ttft <= demand.ttft);
}

OpenResult load_of(const PlanCase& c, int replicas) {
  return open_load(c.step, c.memory, c.load(replicas));
}

std::string why_too_large(const PlanCase& c) {
  const Deployment& d = c.deployment;
  const double tokens = c.request.demand.input + c.request.demand.output;
  const auto tp = smallest_tp(c.request.model, c.candidate.gpu, d, tokens, 1024);
  const std::string parts = fmt::format("weights of {:.1f} GB and activations of {:.1f} GB",
                                        c.memory.weights / 1e9, c.memory.activations / 1e9);
  const std::string text =
      c.memory.kv_pool < 0
          ? fmt::format("{} exceed the memory by {:.1f} GB", parts, -c.memory.kv_pool / 1e9)
          : fmt::format("{} leave {:.1f} GB for the KV cache", parts, c.memory.kv_pool / 1e9);
  return tp ? fmt::format("{}; the smallest tp that fits is {}", text, *tp)
            : text + "; no tp that divides the heads fits";
}

/// The option with the fewest replicas that meets the limits; empty with the reason in `why`.
std::optional<ServingOption> option_of(const PlanCase& c, const std::vector<Request>& requests,
                                       std::string& why) {
  const ServingDemand& d = c.request.demand;
  ServingOption option = c.option();
  option.most = saturation(c.step, c.memory, c.load(1));
  if (option.most.rate <= 0) {
    why = fmt::format("cannot serve any request rate; the limit is {}", name_of(option.most.limit));
    return std::nullopt;
  }
  const int most = c.candidate.gpus / c.deployment.gpus();
  const double needed = (1 + c.margin) * d.rate / option.most.rate;
  int replicas = static_cast<int>(std::min(1e9, std::ceil(needed)));
  while (replicas < most && !meets_mean(d, option.load = load_of(c, replicas), c.margin))
    replicas += std::max(1, replicas / 8);
  if (most == 0) {
    why = fmt::format("a replica needs {} GPUs of {}", c.deployment.gpus(), c.candidate.gpus);
    return std::nullopt;
  }
  for (int i = 0; i < kTries; ++i) {
    option.replicas = std::min(replicas, most);
    option.load = load_of(c, option.replicas);
    simulate(c, nullptr, requests, option);
    if (option.meets || option.replicas == most) break;
    replicas += std::max(1, replicas / 8);
  }
  price(c, nullptr, option);
  return option;
}

/// Cost of a prompt. `seconds` is its time without other load.
struct PromptCost {
  double gpu_seconds = 0, seconds = 0;
  double per_second = 0;  ///< prompts per second of a replica
  bool in_time = false;
};
PromptCost prompt_cost(const PlanCase& c) {
  const OpenLoad load = c.load(1);
  const double seconds = c.seconds(prompt_part(load.cached, load.input - load.cached, true));
  const double limit = c.request.demand.ttft;
  // All copies of attention compute a prompt at the same time.
  return {.gpu_seconds = seconds * c.deployment.copy_gpus(),
          .seconds = seconds,
          .per_second = c.deployment.attention_dp / seconds,
          .in_time = limit == 0 || seconds + c.step.frontend().seconds(load.input) <= limit};
}

/// Number of prefill replicas that are busy at most 80 % of the time.
int prefill_replicas(const PlanCase& c, const PromptCost& cost) {
  const double busy = (1 + c.margin) * c.request.demand.rate / cost.per_second;
  return std::max(1, static_cast<int>(std::ceil(busy / 0.8)));
}

/// Two pools: `decode` with the replicas of the option, and `prefill`.
struct PoolCases {
  const PlanCase& decode;
  const PlanCase& prefill;
  const std::vector<Request>& requests;

  /// For a decode replica all prompt tokens are cached.
  [[nodiscard]] OpenLoad decode_load(int replicas) const {
    OpenLoad load = decode.load(replicas);
    load.cached = load.input;
    return load;
  }
  [[nodiscard]] bool fits(const ServingOption& option) const {
    return option.gpus() <= decode.candidate.gpus;
  }
  void run(ServingOption& option) const {
    option.load = open_load(decode.step, decode.memory, decode_load(option.replicas));
    simulate(decode, &prefill, requests, option);
  }
};

/// Adds an eighth of a pool's replicas, at least one. A long TTFT has its cause in either pool:
/// prompts wait for a prefill replica, or for room in a decode replica. So both are tried, and the
/// pool grows that brings the times closer to the limits per added GPU.
void add_replicas(const PoolCases& pools, ServingOption& option) {
  const ServingDemand& demand = pools.decode.request.demand;
  const auto more = [&](int ServingOption::*replicas) {
    ServingOption larger = option;
    larger.*replicas += std::max(1, option.*replicas / 8);
    if (pools.fits(larger)) pools.run(larger);
    return larger;
  };
  const auto gain = [&](const ServingOption& larger) {
    if (!pools.fits(larger)) return -std::numeric_limits<double>::infinity();
    if (larger.meets) return std::numeric_limits<double>::infinity();
    return (option.excess(demand) - larger.excess(demand)) / (larger.gpus() - option.gpus());
  };
  ServingOption larger = more(&ServingOption::replicas);
  if (option.load.stable && demand.ttft > 0 && option.ttft.p99 > demand.ttft) {
    ServingOption other = more(&ServingOption::prefill_replicas);
    if (gain(other) >= gain(larger)) larger = std::move(other);
  }
  option = std::move(larger);
}

/// Adds the disaggregated pools of a candidate: each split that fits as decode pool, with the best
/// split for prompts.
void add_pools(const ServingPlanRequest& request, const ServingCandidate& candidate,
               std::span<const PlanCase> cases, const std::vector<Request>& requests,
               ServingPlan& plan) {
  const PlanCase* prefill = nullptr;
  PromptCost best;
  for (const PlanCase& c : cases) {
    const PromptCost cost = prompt_cost(c);
    const bool better = prefill == nullptr || cost.in_time > best.in_time ||
                        (cost.in_time == best.in_time && cost.gpu_seconds < best.gpu_seconds);
    if (!better) continue;
    prefill = &c;
    best = cost;
  }
  for (const PlanCase& c : cases) {
    const PoolCases pools{c, *prefill, requests};
    ServingOption option = c.option();
    option.prefill = prefill->deployment;
    option.prefill_replicas = prefill_replicas(*prefill, best);
    option.most = saturation(c.step, c.memory, pools.decode_load(1));
    if (option.most.rate <= 0) continue;
    const double needed = (1 + c.margin) * request.demand.rate / option.most.rate;
    option.replicas = std::max(1, static_cast<int>(std::min(1e9, std::ceil(needed))));
    if (pools.fits(option)) pools.run(option);
    for (int i = 1; i < kTries && !option.meets && pools.fits(option); ++i)
      add_replicas(pools, option);
    if (!option.meets || !pools.fits(option)) {
      plan.refused.push_back(
          {candidate.cluster, c.deployment,
           fmt::format("disaggregated pools need more than {} GPUs for the limits",
                       candidate.gpus)});
      continue;
    }
    // The pool that saturates first limits the service.
    const double prompts = option.prefill_replicas * best.per_second;
    if (prompts < option.most.rate * option.replicas)
      option.most = {.rate = prompts / option.replicas, .limit = ServingLimit::compute};
    price(c, prefill, option);
    plan.options.push_back(std::move(option));
  }
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

}  // namespace

std::optional<std::string> why_refused(const PlanCase& c) {
  if (auto why = why_not_on(c.candidate.gpu, c.deployment.formats)) return why;
  return c.fits() ? std::nullopt : std::optional(why_too_large(c));
}

ServingPlan plan_serving(const ServingPlanRequest& request) {
  ServingPlan plan;
  const std::vector<Request> requests = plan_requests(request.demand);
  for (const ServingCandidate& candidate : request.candidates) {
    if (const auto why = why_not_on(candidate.gpu, request.base.formats)) {
      plan.refused.push_back({candidate.cluster, request.base, *why});
      continue;
    }
    std::vector<PlanCase> cases;
    for (const Deployment& d : splits(request, candidate)) {
      std::string why;
      if (auto refused = why_refused(plan_case(request, candidate, d, 0))) {
        why = std::move(*refused);
      } else {
        cases.push_back(plan_case(request, candidate, d, d.token_budget));
        if (auto option = option_of(cases.back(), requests, why)) {
          plan.options.push_back(std::move(*option));
          continue;
        }
      }
      plan.refused.push_back({candidate.cluster, d, why});
    }
    if (request.disaggregate) add_pools(request, candidate, cases, requests, plan);
  }
  mark_pareto(plan.options);
  // Sorted by cost. Options that miss the limits come last, the nearest first.
  std::ranges::stable_sort(plan.options, {}, [&](const ServingOption& o) {
    const double cost = o.cost_per_hour.value_or(1e12);
    return std::tuple(!o.meets, o.meets ? cost : -o.goodput, o.meets ? 0 : o.excess(request.demand),
                      o.gpus(), o.tpot.mean);
  });
  return plan;
}

std::vector<Served> served_requests(const ServingPlanRequest& request, const ServingOption& option,
                                    const StepWatch& watch) {
  const OptionCases cases(request, option);
  const PlanCase* prompts = cases.prefill();
  std::vector<Served> served =
      run_option(cases.decode(), prompts, plan_requests(request.demand), option, watch).requests;
  const double outside = seconds_outside(prompts != nullptr ? *prompts : cases.decode());
  for (Served& one : served) {
    if (one.shed) continue;
    one.first_token += outside;
    one.last_token += outside;
  }
  return served;
}

std::vector<MeasuredComparison> compare_with_trace(std::span<const Request> trace,
                                                   std::span<const Served> served) {
  std::vector<MeasuredComparison> all;
  const auto compare = [&](const char* quantity, double Request::*measured,
                           double (Served::*predicted)() const) {
    MeasuredComparison one{.quantity = quantity};
    std::vector<double> errors;
    for (std::size_t i = 0; i < trace.size() && i < served.size(); ++i) {
      const double was = trace[i].*measured, is = (served[i].*predicted)();
      if (was <= 0 || served[i].shed) continue;
      one.measured += was;
      one.predicted += is;
      errors.push_back(100 * (is / was - 1));
    }
    if (errors.empty()) return;
    one.measured /= static_cast<double>(errors.size());
    one.predicted /= static_cast<double>(errors.size());
    one.errors = core::summarise_errors(errors);
    all.push_back(std::move(one));
  };
  compare("ttft", &Request::measured_ttft, &Served::ttft);
  compare("tpot", &Request::measured_tpot, &Served::tpot);
  return all;
}

std::vector<ParetoPoint> pareto_points(const ServingPlanRequest& request,
                                       const ServingCandidate& candidate) {
  const ServingDemand& d = request.demand;
  std::vector<ParetoPoint> points;
  for (const Deployment& split : splits(request, candidate)) {
    const PlanCase c = plan_case(request, candidate, split, 0);
    if (!c.fits()) continue;
    const double most = std::min<double>(
        split.max_sequences, c.memory.sequences(d.input + d.output, split.block_tokens));
    for (double clients = 1; clients <= most; clients *= 2) {
      const ClosedResult r =
          closed_loop(c.step, {.concurrency = clients, .input = d.input, .output = d.output});
      points.push_back({.deployment = split,
                        .concurrency = clients * split.attention_dp,
                        .ttft = r.ttft,
                        .tokens_per_s_per_gpu = r.tokens_per_s / split.copy_gpus(),
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
