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

enum class Scope { all, experts, narrow, vllm, sglang, trtllm };

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
#define RAILYARD_HOST(engine)                                                                  \
  "host_us " #engine,                                                                          \
      [](const EngineEfficiencies& e) { return e.host_us[static_cast<int>(Engine::engine)]; }, \
      [](EngineEfficiencies& e, double v) { e.host_us[static_cast<int>(Engine::engine)] = v; }
constexpr std::array kParameters{
    Parameter{RAILYARD_PARAMETER(weights), 0.85, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(weights4), 0.6, Scope::narrow, true},
    Parameter{RAILYARD_PARAMETER(matrix), 0.8, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(matrix8), 0.7, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(kv), 0.8, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(attention), 0.8, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(experts), 0.7, Scope::experts, true},
    Parameter{RAILYARD_PARAMETER(imbalance), 1.5, Scope::experts},
    Parameter{RAILYARD_PARAMETER(kernel_us), 2.5, Scope::all},
    Parameter{RAILYARD_PARAMETER(layer_us), 5.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(routing_us), 10.0, Scope::experts},
    Parameter{RAILYARD_PARAMETER(reduce_us), 6.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(reduce_rank_us), 1.0, Scope::all},
    Parameter{RAILYARD_PARAMETER(reduce_rate), 0.7, Scope::all, true},
    Parameter{RAILYARD_PARAMETER(sequence_us), 10.0, Scope::all},
    Parameter{RAILYARD_HOST(vllm), 1000.0, Scope::vllm},
    Parameter{RAILYARD_HOST(sglang), 700.0, Scope::sglang},
    Parameter{RAILYARD_HOST(trtllm), 500.0, Scope::trtllm},
};
#undef RAILYARD_PARAMETER
#undef RAILYARD_HOST
constexpr double kPrior = 0.02;

bool tells(Scope scope, const ServingRun& run) {
  const Formats& f = run.deployment.formats;
  switch (scope) {
    case Scope::all: return true;
    case Scope::experts: return run.has_experts;
    case Scope::narrow: return f.mlp == NumberFormat::nvfp4 || f.mlp == NumberFormat::int4;
    case Scope::vllm: return run.deployment.engine == Engine::vllm;
    case Scope::sglang: return run.deployment.engine == Engine::sglang;
    case Scope::trtllm: return run.deployment.engine == Engine::trtllm;
  }
  return true;
}

EngineEfficiencies from(std::span<const double> x) {
  EngineEfficiencies e;
  for (std::size_t k = 0; k < kParameters.size(); ++k)
    kParameters[k].set(e, kParameters[k].is_share ? std::min(1.0, x[k]) : x[k]);
  return e;
}

}  // namespace

StepEfficiency EngineEfficiencies::of(Engine engine) const {
  StepEfficiency e = shared;
  e.host_us = host_us[static_cast<std::size_t>(engine)];
  return e;
}

EngineEfficiencies shipped_efficiencies() {
  EngineEfficiencies e{.shared = fitted_efficiency(Engine::vllm)};
  for (const Engine engine : {Engine::vllm, Engine::sglang, Engine::trtllm})
    e.host_us[static_cast<std::size_t>(engine)] = fitted_efficiency(engine).host_us;
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
                        .efficiency = with.of(run.deployment.engine)});
  return closed_loop(step, run.load);
}

ClosedResult ServingPredictor::simulate(const ServingRun& run, const EngineEfficiencies& with) {
  const PredictedMachine& at = machine(run.cluster);
  const Deployment& d = run.deployment;
  const StepModel step({.model = model(run.model),
                        .gpu = at.gpu,
                        .fabric = at.fabric,
                        .deployment = d,
                        .efficiency = with.of(d.engine),
                        .tabulated_tokens = d.token_budget});
  const int clients = std::max(1, static_cast<int>(std::lround(run.load.concurrency)));
  // Lengths drawn evenly from [1 - spread, 1] have the mean 1 - spread/2.
  const double spread = 2 * (1 - run.length_share);
  const auto requests =
      random_arrivals({.rate = 1,
                       .requests = clients * (run.load.burst ? 1 : 8),
                       .input = static_cast<int>(std::lround(run.load.input / run.length_share)),
                       .output = static_cast<int>(std::lround(run.load.output / run.length_share)),
                       .spread = spread});
  const ServingMemory memory = serving_memory(model(run.model), at.gpu, d);
  const double block = memory.kv_token_bytes * d.block_tokens;
  const ServiceResult result =
      run_service(requests,
                  {.replicas = 1,
                   .replica = {.token_budget = d.token_budget,
                               .max_sequences = std::max(d.max_sequences, clients),
                               .block_tokens = d.block_tokens,
                               .blocks = std::max<std::int64_t>(
                                   clients * 4, static_cast<std::int64_t>(memory.kv_pool / block)),
                               .mixes_prompts = !run.load.burst},
                   .concurrency = clients},
                  [&](const StepBatch& batch) { return step.time(batch).total(); });
  return {.ttft = step.request_seconds() + result.ttft().mean,
          .tpot = result.tpot().mean,
          .running = result.mean_in_system,
          .tokens_per_s = result.output_tokens_per_s()};
}

ServingFit fit_serving(ServingPredictor& predictor, std::span<const ServingRun* const> runs) {
  std::map<std::string, double> of_group;
  for (const ServingRun* run : runs) of_group[run->group] += 1;
  core::FitProblem problem;
  problem.prior.assign(kParameters.size(), kPrior);
  problem.rows.resize(kParameters.size());
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    problem.weights.push_back(1 / std::sqrt(of_group[runs[i]->group]));
    for (std::size_t k = 0; k < kParameters.size(); ++k)
      if (tells(kParameters[k].scope, *runs[i])) problem.rows[k].push_back(i);
  }
  for (const Parameter& p : kParameters) problem.start.push_back(p.typical);
  problem.residual = [&](std::span<const double> x, std::uint32_t i) {
    return std::log(predictor.predict(*runs[i], from(x)).tpot / runs[i]->measured_tpot);
  };
  problem.iterations = 8;
  const core::Fit found = core::least_squares(problem);
  ServingFit fit{.efficiencies = from(found.x)};
  for (std::size_t k = 0; k < kParameters.size(); ++k)
    fit.parameters.push_back(
        {std::string(kParameters[k].name), kParameters[k].get(fit.efficiencies), found.error[k]});
  return fit;
}

std::vector<double> tpot_left_out(
    ServingPredictor& predictor, std::span<const ServingRun> runs, ServingHeldOut what,
    const std::function<void(const std::string&, std::size_t, std::size_t)>& on_fit) {
  const auto key = [&](const ServingRun& run) -> const std::string& {
    return what == ServingHeldOut::model ? run.model : run.cluster;
  };
  std::map<std::string, std::vector<std::size_t>> held_out;
  for (std::size_t i = 0; i < runs.size(); ++i) held_out[key(runs[i])].push_back(i);
  std::vector<double> tpot(runs.size(), 0.0);
  std::size_t index = 0;
  for (const auto& [name, members] : held_out) {
    on_fit(name, index++, held_out.size());
    std::vector<const ServingRun*> others;
    for (const ServingRun& run : runs)
      if (key(run) != name) others.push_back(&run);
    const ServingFit fit = fit_serving(predictor, others);
    for (const std::size_t i : members) tpot[i] = predictor.predict(runs[i], fit.efficiencies).tpot;
  }
  return tpot;
}

}  // namespace railyard::placement::serving
