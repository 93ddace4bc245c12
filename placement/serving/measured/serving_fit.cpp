#include "placement/serving/measured/serving_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/diagnostic.hpp"
#include "core/least_squares.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/service/arrivals.hpp"
#include "placement/serving/service/service_run.hpp"
#include "placement/serving/step/nccl_reductions.hpp"
#include "placement/serving/step/serving_memory.hpp"

namespace railyard::placement::serving {
namespace {

constexpr std::array kEngines{Engine::vllm, Engine::sglang, Engine::trtllm};

/// A parameter of one engine, of all engines, or of clients that are native programs.
struct Parameter {
  std::string name;
  const EfficiencyParameter* shared = nullptr;  ///< null: native_request_ms
  std::optional<Engine> engine{};               ///< the only engine with this parameter; empty: all
  double typical = 0;

  [[nodiscard]] double most() const {
    return shared != nullptr ? shared->most : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] bool applies_to(const ServingRun& run) const {
    if (shared == nullptr) return run.native_client;
    if (shared->scope == EfficiencyParameter::Scope::client) return !run.native_client;
    return engine.value_or(run.deployment.engine) == run.deployment.engine &&
           shared->applies_to(run.deployment, run.has_experts);
  }
  [[nodiscard]] double& of(EngineEfficiencies& e) const {
    if (shared == nullptr) return e.native_request_ms;
    if (!engine) return e.shared.*shared->member;
    const auto k = static_cast<std::size_t>(*engine);
    return shared->member == &StepEfficiency::host_us ? e.host_us[k] : e.launch_us[k];
  }
};

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> all;
  for (const EfficiencyParameter& p : efficiency_parameters()) {
    const std::string name(p.name);
    if (p.scope != EfficiencyParameter::Scope::engine) {
      all.push_back({name, &p, std::nullopt, p.typical[0]});
      continue;
    }
    for (const Engine engine : kEngines) {
      const auto k = static_cast<std::size_t>(engine);
      all.push_back(
          {fmt::format("{} {}", name, core::enum_name(engine)), &p, engine, p.typical[k]});
    }
  }
  all.push_back({"request_ms perf_analyzer", nullptr, std::nullopt, 10});
  return all;
}

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = make_parameters();
  return all;
}

/// Requests per client of a benchmark, sent one after another (InferenceX: --num-prompts is 10
/// times --max-concurrency).
constexpr int kRequestsPerClient = 10;

/// With few clients a prompt rarely waits for others, so the closed form predicts its TTFT.
bool is_first_token_alone(const ServingRun& run) {
  return run.measured_ttft > 0 && run.load.concurrency <= 8 && run.deployment.hold.steps == 0 &&
         run.waiting_clients == 0;
}

/// Weight of the TTFT of such runs, relative to a TPOT.
constexpr double kFirstTokens = 1;

EngineEfficiencies from(std::span<const double> x) {
  EngineEfficiencies e;
  for (std::size_t k = 0; k < parameters().size(); ++k) parameters()[k].of(e) = x[k];
  return e;
}

}  // namespace

StepEfficiency EngineEfficiencies::of(const ServingRun& run) const {
  StepEfficiency e = of(run.deployment.engine);
  if (run.native_client) e.request_ms = native_request_ms;
  return e;
}

StepEfficiency EngineEfficiencies::of(Engine engine) const {
  StepEfficiency e = shared;
  e.host_us = host_us[static_cast<std::size_t>(engine)];
  e.launch_us = launch_us[static_cast<std::size_t>(engine)];
  return e;
}

EngineEfficiencies shipped_efficiencies() {
  EngineEfficiencies e{.shared = fitted_efficiency(Engine::vllm), .native_request_ms = 9.53};
  for (const Engine engine : kEngines) {
    e.host_us[static_cast<std::size_t>(engine)] = fitted_efficiency(engine).host_us;
    e.launch_us[static_cast<std::size_t>(engine)] = fitted_efficiency(engine).launch_us;
  }
  return e;
}

const Model& ServingPredictor::model(const std::string& name) {
  const auto known = models_.find(name);
  return known != models_.end() ? known->second
                                : models_.emplace(name, read_model(name)).first->second;
}

ClosedResult ServingPredictor::predict(const ServingRun& run, const EngineEfficiencies& with) {
  return closed_loop(step_of(run, run.deployment, with, 0), run.load);
}

StepModel ServingPredictor::step_of(const ServingRun& run, const Deployment& d,
                                    const EngineEfficiencies& with, int tabulated) {
  const PredictedMachine& at = machine(run.cluster);
  return StepModel({.model = model(run.model),
                    .gpu = at.gpu,
                    .fabric = at.fabric,
                    .deployment = d,
                    .efficiency = with.of(run),
                    .between_nodes = between_nodes(run.cluster, d),
                    .tabulated_tokens = tabulated});
}

std::shared_ptr<const CommunicationModel> ServingPredictor::between_nodes(
    const std::string& cluster, const Deployment& d) {
  const auto per_node = static_cast<int>(machine(cluster).fabric.gpus_per_node);
  if (d.tp <= per_node) return nullptr;
  const int nodes = (d.tp + per_node - 1) / per_node;
  std::shared_ptr<const CommunicationModel>& known = between_nodes_[{cluster, nodes}];
  if (known == nullptr)
    known = std::make_shared<NcclReductions>(
        std::make_shared<const topology::Cluster>(
            topology::build_cluster(topology::read_cluster(cluster, nodes))),
        topology::read_timings(cluster));
  return known;
}

ServiceResult ServingPredictor::serve(const ServingRun& run, const std::vector<Request>& requests,
                                      const EngineEfficiencies& with) {
  const PredictedMachine& at = machine(run.cluster);
  const Deployment& d = run.deployment;
  const StepModel step = step_of(run, d, with, d.token_budget);
  const auto seconds_of = [](const StepModel& one) {
    return [&one](const StepBatch& batch) { return one.time(batch).total(); };
  };
  const ServingMemory memory = serving_memory(model(run.model), at.gpu, d);
  const int clients = std::max(1, static_cast<int>(std::lround(run.load.concurrency)));
  ServiceOptions service{.replica = replica_options(d, memory), .frontend = step.frontend()};
  ReplicaOptions& replica = service.replica;
  replica.max_sequences = std::max(d.max_sequences, clients - run.waiting_clients);
  if (run.waiting_clients > 0) replica.max_sequences = clients - run.waiting_clients;
  if (run.max_sequences > 0) replica.max_sequences = run.max_sequences;
  replica.blocks = std::max<std::int64_t>(clients * 4, replica.blocks);
  if (!run.prefill) {  // one copy of attention represents all
    service.concurrency = clients;
    return run_service(requests, service, seconds_of(step));
  }
  const Deployment& prompts = run.prefill->deployment;
  const StepModel prompt_step = step_of(run, prompts, with, prompts.token_budget);
  const TransferTime transfer = kv_transfer(at.fabric, prompts, d, memory.kv_token_bytes);
  service.replicas = run.replicas;
  service.copies = d.attention_dp;
  if (run.frontends > 0) service.router = RouterPolicy::round_robin;
  service.routers = std::max(1, run.frontends);
  service.concurrency = std::max(1, static_cast<int>(std::lround(run.clients())));
  ReplicaOptions prompt_replica =
      replica_options(prompts, serving_memory(model(run.model), at.gpu, prompts));
  // The run was measured, so its longest prompts fit into the memory.
  const auto longest = static_cast<std::int64_t>(run.load.input / run.length_share);
  prompt_replica.blocks = std::max(2 * (longest / prompts.block_tokens + 1), prompt_replica.blocks);
  service.prefill = {.replicas = run.prefill->replicas,
                     .copies = prompts.attention_dp,
                     .look_steps = look_steps(d),
                     .replica = prompt_replica,
                     .seconds = seconds_of(prompt_step),
                     .network = [&] {
                       return std::make_unique<NicTransfers>(transfer.start, transfer.per_token);
                     }};
  return run_service(requests, service, seconds_of(step));
}

ClosedResult ServingPredictor::simulate(const ServingRun& run, const EngineEfficiencies& with) {
  const double clients = run.prefill ? run.clients() : run.load.concurrency;
  // Lengths drawn evenly from [1 - spread, 1] have the mean 1 - spread/2.
  const double share = run.length_share;
  const auto requests = random_arrivals(
      {.rate = 1,
       .requests = std::max(1, static_cast<int>(std::lround(clients))) * kRequestsPerClient,
       .input = static_cast<int>(std::lround(run.load.input / share)),
       .output = static_cast<int>(std::lround(run.load.output / share)),
       .spread = 2 * (1 - share)});
  const ServiceResult result = serve(run, requests, with);
  return {.ttft = result.ttft().mean,
          .tpot = result.tpot().mean,
          .running = result.mean_in_system,
          .tokens_per_s = result.output_tokens_per_s()};
}

ServingFit fit_serving(ServingPredictor& predictor, std::span<const ServingRun* const> all_runs) {
  std::vector<const ServingRun*> runs;
  std::ranges::copy_if(all_runs, std::back_inserter(runs),
                       [](const ServingRun* run) { return !run->prefill; });
  if (runs.empty())
    throw InputError("", "--fit", "no run of this table is without a prefill pool",
                     "leave it out, or a table such as configs/validation/serving_runs.csv");
  std::map<std::string, double> of_group;
  for (const ServingRun* run : runs) of_group[run->group] += 1;
  // The TPOT of all runs, then the TTFT of runs with few clients.
  std::vector<const ServingRun*> rows(runs.begin(), runs.end());
  for (const ServingRun* run : runs)
    if (is_first_token_alone(*run)) rows.push_back(run);
  core::FitProblem problem;
  problem.prior.assign(parameters().size(), kEfficiencyPrior);
  problem.rows.resize(parameters().size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const double weight = i < runs.size() ? 1 : kFirstTokens;
    problem.weights.push_back(weight / std::sqrt(of_group[rows[i]->group]));
    for (std::size_t k = 0; k < parameters().size(); ++k)
      if (parameters()[k].applies_to(*rows[i])) problem.rows[k].push_back(i);
  }
  for (const Parameter& p : parameters()) {
    problem.start.push_back(p.typical);
    problem.highest.push_back(p.most());
  }
  problem.residual = [&](std::span<const double> x, std::uint32_t i) {
    const ServingRun& run = *rows[i];
    const ClosedResult predicted = predictor.predict(run, from(x));
    return i < runs.size() ? std::log(predicted.tpot / run.measured_tpot)
                           : std::log(predicted.ttft / run.measured_ttft);
  };
  problem.iterations = 8;
  const core::Fit found = core::least_squares(problem);
  ServingFit fit{.efficiencies = from(found.x)};
  for (std::size_t k = 0; k < parameters().size(); ++k)
    fit.parameters.push_back(
        {parameters()[k].name, parameters()[k].of(fit.efficiencies), found.error[k]});
  return fit;
}

std::vector<ClosedResult> simulated_left_out(
    ServingPredictor& predictor, std::span<const ServingRun> runs, ServingHeldOut what,
    const std::function<void(const std::string&, std::size_t, std::size_t)>& on_fit) {
  const auto key = [&](const ServingRun& run) -> const std::string& {
    return what == ServingHeldOut::model ? run.model : run.cluster;
  };
  std::map<std::string, std::vector<std::size_t>> held_out;
  for (std::size_t i = 0; i < runs.size(); ++i) held_out[key(runs[i])].push_back(i);
  std::vector<ClosedResult> results(runs.size());
  std::size_t index = 0;
  for (const auto& [name, members] : held_out) {
    on_fit(name, index++, held_out.size());
    std::vector<const ServingRun*> others;
    for (const ServingRun& run : runs)
      if (key(run) != name && !run.prefill) others.push_back(&run);
    if (others.empty()) continue;
    const ServingFit fit = fit_serving(predictor, others);
    for (const std::size_t i : members) results[i] = predictor.simulate(runs[i], fit.efficiencies);
  }
  return results;
}

}  // namespace railyard::placement::serving
