#include "placement/serving/planner/plan_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "placement/serving/service/arrivals.hpp"
#include "placement/serving/step/step_power.hpp"

namespace railyard::placement::serving {
namespace {

/// Simulated requests of an option without a trace: enough for the 99th percentile.
constexpr int kRequests = 1500;
/// Subtracts the weights of a draft model from the KV cache of a replica.
void add_draft(ServingMemory& memory, const ServingMemory& draft) {
  memory.weights += draft.weights;
  memory.kv_pool -= draft.weights;
  memory.kv_token_bytes += draft.kv_token_bytes;
  memory.kv_window_bytes += draft.kv_window_bytes;
}

PlanCase case_of(const ServingPlanRequest& request, const std::string& cluster,
                 const Deployment& deployment) {
  const auto candidate = std::ranges::find(request.candidates, cluster, &ServingCandidate::cluster);
  return plan_case(request, *candidate, deployment, deployment.token_budget);
}

}  // namespace

ReplicaOptions PlanCase::replica() const { return replica_options(deployment, memory); }

ServingOption PlanCase::option() const {
  return {.cluster = candidate.cluster,
          .deployment = deployment,
          .memory = memory,
          .range = range,
          .margin = margin};
}

OpenLoad PlanCase::load(int replicas) const {
  const ServingDemand& d = request.demand;
  return {.rate = (1 + margin) * d.rate / replicas,
          .input = d.input,
          .output = d.output,
          .cached = d.cached * d.input};
}

bool PlanCase::fits() const {
  const ServingDemand& d = request.demand;
  return memory.sequences(d.input + d.output, deployment.block_tokens) >= 1;
}

PlanCase plan_case(const ServingPlanRequest& request, const ServingCandidate& candidate,
                   const Deployment& deployment, int tabulated) {
  ServingMemory memory = serving_memory(request.model, candidate.gpu, deployment);
  if (deployment.speculation.tokens > 0 && request.draft != nullptr)
    add_draft(memory, serving_memory(*request.draft, candidate.gpu, deployment));
  const ThroughputRange range = throughput_range(candidate.gpu, request.model.moe.has_value(),
                                                 request.efficiency.has_value());
  return {.request = request,
          .candidate = candidate,
          .deployment = deployment,
          .memory = memory,
          .step = StepModel(
              {.model = request.model,
               .gpu = candidate.gpu,
               .fabric = candidate.fabric,
               .deployment = deployment,
               .efficiency = request.efficiency.value_or(fitted_efficiency(deployment.engine)),
               .draft = request.draft,
               .between_nodes = candidate.between_nodes,
               .tabulated_tokens = tabulated}),
          .range = range,
          .margin = request.margin.value_or(range.margin())};
}

OptionCases::OptionCases(const ServingPlanRequest& request, const ServingOption& option)
    : decode_(case_of(request, option.cluster, option.deployment)) {
  if (option.prefill) prefill_.emplace(case_of(request, option.cluster, *option.prefill));
}

std::vector<Request> plan_requests(const ServingDemand& d) {
  std::vector<Request> requests = d.trace;
  if (requests.empty())
    requests = random_arrivals({.rate = d.rate,
                                .cv = d.cv,
                                .requests = kRequests,
                                .input = static_cast<int>(std::lround(d.input)),
                                .output = static_cast<int>(std::lround(d.output)),
                                .seed = d.seed});
  const bool has_prefixes =
      std::ranges::any_of(requests, [](const Request& r) { return !r.prefix.empty(); });
  for (Request& r : requests) r.cached = has_prefixes ? 0 : static_cast<int>(d.cached * r.input);
  return requests;
}

namespace {

bool is_asked(const std::vector<int>& only, int value) {
  return only.empty() || std::ranges::find(only, value) != only.end();
}

/// Numbers of GPUs that share the experts with data-parallel attention: a node and 2, 4, 8, ...
/// nodes, or the requested widths; at most one GPU per expert.
std::vector<int> expert_widths(const ServingPlanRequest& request,
                               const ServingCandidate& candidate) {
  const int node = static_cast<int>(candidate.fabric.gpus_per_node);
  const int most = std::min(candidate.gpus, request.model.moe->experts);
  std::vector<int> widths;
  if (request.only_ep.empty()) {
    for (int ranks = node; ranks <= most; ranks *= 2) widths.push_back(ranks);
    return widths;
  }
  for (const int ranks : request.only_ep)
    if (ranks > 1 && ranks <= most && (ranks <= node || ranks % node == 0)) widths.push_back(ranks);
  return widths;
}

/// Up to this number of ranks there are no redundant experts by default: each rank has so many
/// experts that their popularity evens out.
constexpr int kEvenRanks = 8;

/// Number of redundant experts, so that `ranks` hold equally many; empty if that is not possible.
std::optional<int> redundant_experts(const ServingPlanRequest& request, int ranks, bool wide) {
  const int experts = request.model.moe->experts;
  int redundant = wide ? (experts / ranks + 1) * ranks - experts : 0;
  if (request.redundant_experts) redundant = *request.redundant_experts;
  return (experts + redundant) % ranks == 0 ? std::optional(redundant) : std::nullopt;
}

void add_shared_experts(const ServingPlanRequest& request, const ServingCandidate& candidate,
                        std::vector<Deployment>& all) {
  const int node = static_cast<int>(candidate.fabric.gpus_per_node);
  for (const int ranks : expert_widths(request, candidate)) {
    const auto redundant = redundant_experts(request, ranks, ranks > kEvenRanks);
    if (!redundant) continue;
    for (int tp = 1; tp <= std::min(node, ranks / 2); tp *= 2) {
      if (request.model.heads % tp != 0 || ranks % tp != 0) break;
      if (!is_asked(request.only_tp, tp)) continue;
      Deployment d = request.base;
      d.tp = tp;
      d.attention_dp = ranks / tp;
      d.ep = ranks;
      d.redundant_experts = *redundant;
      all.push_back(d);
    }
  }
}

}  // namespace

std::vector<Deployment> splits(const ServingPlanRequest& request,
                               const ServingCandidate& candidate) {
  const Model& model = request.model;
  std::vector<Deployment> all;
  const int node = static_cast<int>(candidate.fabric.gpus_per_node);
  for (int tp = 1; tp <= std::min(node, candidate.gpus); tp *= 2) {
    if (model.heads % tp != 0) break;
    if (!is_asked(request.only_tp, tp)) continue;
    for (int pp = 1; pp <= request.most_pp && pp * tp <= candidate.gpus; pp *= 2) {
      Deployment d = request.base;
      d.tp = tp;
      d.pp = pp;
      if (is_asked(request.only_ep, 1)) all.push_back(d);
      if (!model.moe || tp == 1 || !is_asked(request.only_ep, tp)) continue;
      const auto redundant = redundant_experts(request, tp, false);
      if (!redundant) continue;
      d.ep = tp;
      d.redundant_experts = *redundant;
      all.push_back(d);
    }
  }
  if (model.moe) add_shared_experts(request, candidate, all);
  return all;
}

std::string why_no_split(const ServingPlanRequest& request, int ep) {
  const int experts = request.model.moe->experts;
  if (ep > experts) return fmt::format("{} ranks are more than {} experts", ep, experts);
  int most = 0;
  bool fits_nodes = false;
  for (const ServingCandidate& candidate : request.candidates) {
    const int node = static_cast<int>(candidate.fabric.gpus_per_node);
    most = std::max(most, candidate.gpus);
    fits_nodes = fits_nodes || ep <= node || ep % node == 0;
  }
  if (ep > most) return fmt::format("{} ranks are more than {} GPUs", ep, most);
  if (!fits_nodes) return fmt::format("{} ranks do not fill whole nodes", ep);
  const int redundant = request.redundant_experts.value_or(0);
  if ((experts + redundant) % ep != 0)
    return fmt::format("{} experts and {} redundant ones are not divisible by {}", experts,
                       redundant, ep);
  return fmt::format("no tensor parallelism of --tp divides {} ranks", ep);
}

TransferTime kv_transfer(const NodeFabric& fabric, const Deployment& prefill,
                         const Deployment& decode, double kv_token_bytes) {
  const double parts =
      static_cast<double>(decode.copy_gpus()) / std::min(prefill.copy_gpus(), decode.copy_gpus());
  const auto seconds = [&](double tokens) {
    return ClosedForm(fabric)
        .time({.kind = collectives::Kind::send_recv,
               .role = GroupRole::pipeline,
               .shape = {.size = 2, .per_node = 1, .gpu_stride = 1, .node_stride = 1, .beside = 1},
               .bytes = tokens * parts * kv_token_bytes})
        .seconds();
  };
  // The time of long messages is linear in their length.
  constexpr double kLong = 1'000'000;
  const double per_token = (seconds(2 * kLong) - seconds(kLong)) / kLong;
  return {.start = std::max(0.0, seconds(kLong) - kLong * per_token), .per_token = per_token};
}

namespace {

/// The network between an option's pools, with the margin: the candidate's links if they are given,
/// otherwise the NICs only.
std::unique_ptr<TransferNetwork> cache_network(const PlanCase& c, const PlanCase& prefill,
                                               const ServingOption& option) {
  const TransferTime transfer =
      kv_transfer(c.candidate.fabric, prefill.deployment, c.deployment, c.memory.kv_token_bytes);
  const double longer = 1 + c.margin;
  if (!c.candidate.network)
    return std::make_unique<NicTransfers>(longer * transfer.start, longer * transfer.per_token);
  PoolLayout layout = pool_layout(
      {.replicas = option.prefill_replicas * prefill.deployment.attention_dp,
       .gpus = prefill.deployment.copy_gpus()},
      {.replicas = option.replicas * c.deployment.attention_dp, .gpus = c.deployment.copy_gpus()},
      static_cast<int>(c.candidate.fabric.gpus_per_node), c.candidate.cluster_gpus);
  layout.token_bytes = longer * c.memory.kv_token_bytes;
  layout.start = longer * transfer.start;
  return c.candidate.network(layout);
}

}  // namespace

ServiceResult run_option(const PlanCase& c, const PlanCase* prefill,
                         const std::vector<Request>& requests, const ServingOption& option,
                         const StepWatch& watch) {
  const auto seconds_of = [](const PlanCase& one) {
    return [&one](const StepBatch& batch) { return one.seconds(batch); };
  };
  ServiceOptions service{.replicas = option.replicas,
                         .copies = c.deployment.attention_dp,
                         .router = c.request.router,
                         .replica = c.replica(),
                         .frontend = (prefill != nullptr ? prefill : &c)->step.frontend(),
                         .autoscale = c.request.autoscale,
                         .watch = watch};
  if (prefill != nullptr) {
    service.prefill = {.replicas = option.prefill_replicas,
                       .copies = prefill->deployment.attention_dp,
                       .look_steps = look_steps(c.deployment),
                       .replica = prefill->replica(),
                       .seconds = seconds_of(*prefill),
                       .network = [&] { return cache_network(c, *prefill, option); }};
  }
  return run_service(requests, service, seconds_of(c));
}

double seconds_outside(const PlanCase& prompts) {
  const ServingDemand& d = prompts.request.demand;
  return pipeline_seconds(prompts.step, d.input * (1 - d.cached));
}

void simulate(const PlanCase& c, const PlanCase* prefill, const std::vector<Request>& requests,
              ServingOption& option) {
  const ServingDemand& demand = c.request.demand;
  const ServiceResult result = run_option(c, prefill, requests, option);
  const double outside = seconds_outside(prefill != nullptr ? *prefill : c);
  option.ttft = result.ttft();
  for (double Quantiles::*q : {&Quantiles::mean, &Quantiles::p50, &Quantiles::p90, &Quantiles::p99})
    option.ttft.*q += outside;
  option.tpot = result.tpot();
  option.cached_share = result.cached_share();
  option.prefill_busy = result.prefill_busy;
  if (c.request.autoscale.least > 0) option.mean_replicas = result.mean_replicas;
  const double any = 1e30;
  option.goodput = result.goodput(demand.ttft > 0 ? demand.ttft - outside : any,
                                  demand.tpot > 0 ? demand.tpot : any);
  option.tokens_per_s =
      demand.trace.empty() ? demand.rate * demand.output : result.output_tokens_per_s();
  // Above saturation queues of random arrivals grow without limit, so the result would depend on
  // the length of the simulation.
  const bool keeps_up = option.load.stable || !demand.trace.empty();
  option.meets = keeps_up && result.shed == 0 &&
                 (demand.ttft == 0 || option.ttft.p99 <= demand.ttft) &&
                 (demand.tpot == 0 || option.tpot.p99 <= demand.tpot);
}

void price(const PlanCase& c, const PlanCase* prefill, ServingOption& option) {
  if (c.candidate.price_per_hour > 0)
    option.cost_per_hour = option.mean_gpus() * c.candidate.price_per_hour;
  const ServingDemand& d = c.request.demand;
  const auto share = [&](const PlanCase& one, const StepBatch& batch) {
    return step_power_share(c.request.model, c.candidate.gpu, one.deployment, one.memory, batch,
                            one.step.time(batch).total());
  };
  const double context = d.input + d.output / 2;
  const double decode = share(c, decode_batch(std::max(1.0, option.load.running), context));
  const PlanCase& prompts = prefill != nullptr ? *prefill : c;
  const double cached = d.cached * d.input;
  const double prompt = share(prompts, prompt_part(cached, d.input - cached, true));
  const double use = option.load.use;
  double shares = option.mean_replicas.value_or(option.replicas) * option.deployment.gpus() *
                  (use * prompt + (1 - use) * decode);
  if (prefill != nullptr) {
    const double busy = std::min(1.0, option.prefill_busy);
    const double idle = power_share(c.candidate.gpu, 0, 0, 1, c.candidate.gpu.spec.fp16);
    shares +=
        option.prefill_replicas * prefill->deployment.gpus() * (busy * prompt + (1 - busy) * idle);
  }
  option.power = c.candidate.gpu.power.watts() * shares;
}

}  // namespace railyard::placement::serving
