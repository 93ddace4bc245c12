#include "placement/serving/measured/serving_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/least_squares.hpp"
#include "placement/serving/service/arrivals.hpp"
#include "placement/serving/service/service_run.hpp"
#include "placement/serving/step/serving_memory.hpp"

namespace railyard::placement::serving {
namespace {

enum class Scope { all, experts, narrow, narrow_kv, script, native, vllm, sglang, trtllm };

/// A parameter: a typical value, and the runs that can tell it.
struct Parameter {
  std::string_view name;
  double (*get)(const EngineEfficiencies&);
  void (*set)(EngineEfficiencies&, double);
  double typical;
  Scope scope = Scope::all;
  bool is_share = false;  ///< at most 1
};

// Typical values: memory and matrix rates of large kernels (docs/models/compute.md), microseconds
// of launches in CUDA graphs, of NVLink all-reduces and of Python schedulers.
#define RAILYARD_PARAMETER(field)                                          \
#field, [](const EngineEfficiencies&                                     \
                 e) { return e.shared.field; }, [](EngineEfficiencies & e, \
                                                   double v) { e.shared.field = v; }
#define RAILYARD_ENGINE(field, engine) \
#field " " #engine,                                                                        \
      [](const EngineEfficiencies& e) { return e.field[static_cast<int>(Engine::engine)]; }, \
      [](EngineEfficiencies& e, double v) { e.field[static_cast<int>(Engine::engine)] = v; }
constexpr std::array kParameters{
    Parameter{RAILYARD_PARAMETER(weights), 0.85, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(weights4), 0.6, Scope::narrow, true},
    Parameter{RAILYARD_PARAMETER(matrix), 0.8, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(matrix8), 0.7, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(matrix4), 0.6, Scope::narrow, true},
    Parameter{RAILYARD_PARAMETER(kv), 0.8, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(kv8), 0.7, Scope::narrow_kv, true},
    Parameter{RAILYARD_PARAMETER(attention), 0.8, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(experts), 0.7, Scope::experts, true},
    Parameter{RAILYARD_PARAMETER(imbalance), 1.5, Scope::experts},
    Parameter{RAILYARD_PARAMETER(skew), 0.4, Scope::experts, true},
    Parameter{RAILYARD_PARAMETER(expanded), 0.6, Scope::narrow, true},
    Parameter{RAILYARD_PARAMETER(quantize_us), 15.0, Scope::experts},
    Parameter{RAILYARD_PARAMETER(request_ms), 15.0, Scope::script},
    Parameter{
        "request_ms perf_analyzer", [](const EngineEfficiencies& e) { return e.native_request_ms; },
        [](EngineEfficiencies& e, double v) { e.native_request_ms = v; }, 10.0, Scope::native},
    Parameter{RAILYARD_PARAMETER(intake_ms), 1.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(token_us), 1.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(kernel_us), 2.5, Scope::all},
    Parameter{RAILYARD_PARAMETER(layer_us), 5.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(routing_us), 10.0, Scope::experts},
    Parameter{RAILYARD_PARAMETER(reduce_us), 6.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(reduce_rank_us), 1.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(reduce_rate), 0.7, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(sequence_us), 10.0, Scope::all},
    Parameter{RAILYARD_ENGINE(host_us, vllm), 1000.0, Scope::vllm},
    Parameter{RAILYARD_ENGINE(host_us, sglang), 700.0, Scope::sglang},
    Parameter{RAILYARD_ENGINE(host_us, trtllm), 500.0, Scope::trtllm},
    Parameter{RAILYARD_ENGINE(launch_us, vllm), 8.0, Scope::vllm},
    Parameter{RAILYARD_ENGINE(launch_us, sglang), 30.0, Scope::sglang},
    Parameter{RAILYARD_ENGINE(launch_us, trtllm), 40.0, Scope::trtllm},
};
#undef RAILYARD_PARAMETER
#undef RAILYARD_ENGINE
constexpr double kPrior = 0.02;

/// Requests that a benchmark's client sends, one after another (InferenceX: --num-prompts 10 times
/// --max-concurrency).
constexpr int kRequestsPerClient = 10;

bool is_narrow(NumberFormat format) {
  return format == NumberFormat::nvfp4 || format == NumberFormat::int4;
}

bool tells(Scope scope, const ServingRun& run) {
  const Formats& f = run.deployment.formats;
  switch (scope) {
    case Scope::all: return true;
    case Scope::experts: return run.has_experts;
    case Scope::narrow: return is_narrow(f.mlp) || (run.has_experts && is_narrow(f.experts));
    case Scope::narrow_kv: return f.kv != NumberFormat::bf16;
    case Scope::script: return !run.native_client;
    case Scope::native: return run.native_client;
    case Scope::vllm: return run.deployment.engine == Engine::vllm;
    case Scope::sglang: return run.deployment.engine == Engine::sglang;
    case Scope::trtllm: return run.deployment.engine == Engine::trtllm;
  }
  return true;
}

/// Few clients, so that a prompt rarely waits for others: the closed form gives its first token.
bool is_first_token_alone(const ServingRun& run) {
  return run.load.concurrency <= 8 && run.deployment.hold.steps == 0 && run.waiting_clients == 0;
}

/// Weight of those first tokens beside a TPOT.
constexpr double kFirstTokens = 1;

EngineEfficiencies from(std::span<const double> x) {
  EngineEfficiencies e;
  for (std::size_t k = 0; k < kParameters.size(); ++k)
    kParameters[k].set(e, kParameters[k].is_share ? std::min(1.0, x[k]) : x[k]);
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
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::trtllm}) {
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
  const PredictedMachine& at = machine(run.cluster);
  const StepModel step({.model = model(run.model),
                        .gpu = at.gpu,
                        .fabric = at.fabric,
                        .deployment = run.deployment,
                        .efficiency = with.of(run)});
  return closed_loop(step, run.load);
}

ClosedResult ServingPredictor::simulate(const ServingRun& run, const EngineEfficiencies& with) {
  const PredictedMachine& at = machine(run.cluster);
  const Deployment& d = run.deployment;
  const StepModel step({.model = model(run.model),
                        .gpu = at.gpu,
                        .fabric = at.fabric,
                        .deployment = d,
                        .efficiency = with.of(run),
                        .tabulated_tokens = d.token_budget});
  const int clients = std::max(1, static_cast<int>(std::lround(run.load.concurrency)));
  // Lengths drawn evenly from [1 - spread, 1] have the mean 1 - spread/2.
  const double share = run.length_share;
  const auto requests =
      random_arrivals({.rate = 1,
                       .requests = clients * kRequestsPerClient,
                       .input = static_cast<int>(std::lround(run.load.input / share)),
                       .output = static_cast<int>(std::lround(run.load.output / share)),
                       .spread = 2 * (1 - share)});
  ReplicaOptions replica = replica_options(d, serving_memory(model(run.model), at.gpu, d));
  replica.max_sequences = std::max(d.max_sequences, clients - run.waiting_clients);
  if (run.waiting_clients > 0) replica.max_sequences = clients - run.waiting_clients;
  replica.blocks = std::max<std::int64_t>(clients * 4, replica.blocks);
  const ServiceResult result = run_service(
      requests,
      {.replicas = 1, .replica = replica, .concurrency = clients, .frontend = step.frontend()},
      [&](const StepBatch& batch) { return step.time(batch).total(); });
  return {.ttft = result.ttft().mean,
          .tpot = result.tpot().mean,
          .running = result.mean_in_system,
          .tokens_per_s = result.output_tokens_per_s()};
}

ServingFit fit_serving(ServingPredictor& predictor, std::span<const ServingRun* const> runs) {
  std::map<std::string, double> of_group;
  for (const ServingRun* run : runs) of_group[run->group] += 1;
  // TPOT of all runs, then TTFT of some.
  std::vector<const ServingRun*> rows(runs.begin(), runs.end());
  for (const ServingRun* run : runs)
    if (is_first_token_alone(*run)) rows.push_back(run);
  core::FitProblem problem;
  problem.prior.assign(kParameters.size(), kPrior);
  problem.rows.resize(kParameters.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const double weight = i < runs.size() ? 1 : kFirstTokens;
    problem.weights.push_back(weight / std::sqrt(of_group[rows[i]->group]));
    for (std::size_t k = 0; k < kParameters.size(); ++k)
      if (tells(kParameters[k].scope, *rows[i])) problem.rows[k].push_back(i);
  }
  for (const Parameter& p : kParameters) problem.start.push_back(p.typical);
  problem.residual = [&](std::span<const double> x, std::uint32_t i) {
    const ServingRun& run = *rows[i];
    const ClosedResult predicted = predictor.predict(run, from(x));
    return i < runs.size() ? std::log(predicted.tpot / run.measured_tpot)
                           : std::log(predicted.ttft / run.measured_ttft);
  };
  problem.iterations = 8;
  const core::Fit found = core::least_squares(problem);
  ServingFit fit{.efficiencies = from(found.x)};
  for (std::size_t k = 0; k < kParameters.size(); ++k)
    fit.parameters.push_back(
        {std::string(kParameters[k].name), kParameters[k].get(fit.efficiencies), found.error[k]});
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
      if (key(run) != name) others.push_back(&run);
    const ServingFit fit = fit_serving(predictor, others);
    for (const std::size_t i : members) results[i] = predictor.simulate(runs[i], fit.efficiencies);
  }
  return results;
}

}  // namespace railyard::placement::serving
