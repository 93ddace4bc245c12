#include "placement/measured/efficiency_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/least_squares.hpp"

namespace railyard::placement {
namespace {

using topology::ComputeSpec;

/// An efficiency that is fitted to steps: how to read and set it.
struct Efficiency {
  std::string_view name;
  double (*get)(const ComputeSpec&);
  void (*set)(ComputeSpec&, double);
};

double share(double value) { return std::min(1.0, value); }

constexpr std::array<Efficiency, 12> kEfficiencies{{
    {"stream_efficiency", [](const ComputeSpec& c) { return c.stream_efficiency; },
     [](ComputeSpec& c, double v) { c.stream_efficiency = share(v); }},
    {"eager_efficiency", [](const ComputeSpec& c) { return c.eager_efficiency; },
     [](ComputeSpec& c, double v) { c.eager_efficiency = share(v); }},
    {"score_efficiency", [](const ComputeSpec& c) { return c.score_efficiency; },
     [](ComputeSpec& c, double v) { c.score_efficiency = share(v); }},
    // Forward and backward keep their measured ratio.
    {"attention_efficiency", [](const ComputeSpec& c) { return c.attention_efficiency; },
     [](ComputeSpec& c, double v) {
       c.attention_backward_efficiency *= share(v) / c.attention_efficiency;
       c.attention_efficiency = share(v);
     }},
    {"flash1_efficiency", [](const ComputeSpec& c) { return c.flash1_efficiency; },
     [](ComputeSpec& c, double v) {
       c.flash1_backward_efficiency *= share(v) / c.flash1_efficiency;
       c.flash1_efficiency = share(v);
     }},
    {"sustained_clock", [](const ComputeSpec& c) { return c.sustained_clock; },
     [](ComputeSpec& c, double v) { c.sustained_clock = share(v); }},
    {"launch", [](const ComputeSpec& c) { return c.launch.microseconds(); },
     [](ComputeSpec& c, double v) { c.launch = Time::from_seconds(v * 1e-6); }},
    {"communication_share", [](const ComputeSpec& c) { return c.communication_share; },
     [](ComputeSpec& c, double v) { c.communication_share = share(v); }},
    {"nvlink_in_step", [](const ComputeSpec& c) { return c.nvlink_in_step; },
     [](ComputeSpec& c, double v) { c.nvlink_in_step = share(v); }},
    {"network_in_step", [](const ComputeSpec& c) { return c.network_in_step; },
     [](ComputeSpec& c, double v) { c.network_in_step = share(v); }},
    {"rail_crossing", [](const ComputeSpec& c) { return c.rail_crossing; },
     [](ComputeSpec& c, double v) { c.rail_crossing = share(v); }},
    {"socket_crossing", [](const ComputeSpec& c) { return c.socket_crossing; },
     [](ComputeSpec& c, double v) { c.socket_crossing = share(v); }},
}};

/// Start values and prior of the fits, equal for all generations. Flash attention: values that the
/// papers give for their own GPUs (arXiv 2307.08691: 50 to 73 % forward, the version of 2022 30 to
/// 50 %). Launch: eager PyTorch needs about 10 us per operation, and a Megatron-LM layer has about
/// five operations (views, copies, generator states, autograd functions) for each one that the
/// model counts.
constexpr std::array<double, kEfficiencies.size()> kTypical{0.8, 0.6,  0.5,  0.6, 0.4, 0.9,
                                                            50,  0.15, 0.75, 0.5, 0.8, 0.6};
constexpr double kPrior = 0.05;

std::string generation_of(const PredictedMachine& machine) {
  const int capability = machine.gpu.gpu.compute_capability;
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

ComputeSpec with(const ComputeSpec& shipped, std::span<const double> x) {
  ComputeSpec spec = shipped;
  for (std::size_t k = 0; k < kEfficiencies.size(); ++k) kEfficiencies[k].set(spec, x[k]);
  return spec;
}

FittedEfficiencies fit_generation(StepPredictor& predictor,
                                  const std::vector<const TrainingRun*>& runs) {
  std::map<std::size_t, double> of_set;
  for (const TrainingRun* run : runs) of_set[run->set] += 1;
  core::FitProblem problem;
  problem.start.assign(kTypical.begin(), kTypical.end());
  problem.prior.assign(kEfficiencies.size(), kPrior);
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    all.push_back(i);
    problem.weights.push_back(1 / std::sqrt(of_set[runs[i]->set]));
  }
  problem.rows.assign(kEfficiencies.size(), all);
  // With NCCL's PXN (2.12, 2022) a ring enters and leaves a node by the same NIC. The configs of
  // GPUs that ran only with it contain 1, which a fit must not change.
  const ComputeSpec& shipped = predictor.machine(runs.front()->cluster).gpu.spec;
  for (std::size_t k = 0; k < kEfficiencies.size(); ++k) {
    if (!kEfficiencies[k].name.ends_with("_crossing") || kEfficiencies[k].get(shipped) < 1)
      continue;
    problem.start[k] = 1;
    problem.rows[k].clear();
  }
  problem.residual = [&](std::span<const double> x, std::uint32_t i) {
    const TrainingRun& run = *runs[i];
    const ComputeSpec spec = with(predictor.machine(run.cluster).gpu.spec, x);
    return std::log(predictor.seconds(run, &spec) / run.measured_s);
  };
  problem.iterations = 8;
  core::Fit fit = core::least_squares(problem);
  FittedEfficiencies fitted{.runs = runs.size()};
  for (std::size_t k = 0; k < kEfficiencies.size(); ++k) {
    fitted.names.emplace_back(kEfficiencies[k].name);
    fitted.values.push_back(kEfficiencies[k].name == "launch" ? fit.x[k] : share(fit.x[k]));
    fitted.uncertainty.push_back(fit.error[k]);
  }
  return fitted;
}

}  // namespace

EfficiencyFit::EfficiencyFit(StepPredictor& predictor, std::span<const TrainingRun> runs,
                             const std::function<bool(const TrainingRun&)>& uses)
    : predictor_(predictor) {
  std::map<std::string, std::vector<const TrainingRun*>> generations;
  for (const TrainingRun& run : runs)
    if (uses(run)) generations[generation_of(predictor.machine(run.cluster))].push_back(&run);
  for (const auto& [name, own_runs] : generations) {
    fitted_[name] = fit_generation(predictor, own_runs);
    fitted_[name].generation = name;
  }
}

double EfficiencyFit::seconds(const TrainingRun& run) const {
  const PredictedMachine& machine = predictor_.machine(run.cluster);
  const auto found = fitted_.find(generation_of(machine));
  if (found == fitted_.end()) return predictor_.seconds(run);
  const ComputeSpec spec = with(machine.gpu.spec, found->second.values);
  return predictor_.seconds(run, &spec);
}

std::vector<double> seconds_left_out(StepPredictor& predictor, std::span<const TrainingRun> runs,
                                     HeldOut what,
                                     const std::function<void(const HeldOutFit&)>& on_fit) {
  std::map<std::string, std::vector<std::size_t>> held_out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string generation = generation_of(predictor.machine(runs[i].cluster));
    held_out[what == HeldOut::machine ? runs[i].cluster : runs[i].model + " on " + generation]
        .push_back(i);
  }
  std::vector<double> seconds(runs.size(), 0.0);
  std::size_t index = 0;
  for (const auto& [name, members] : held_out) {
    on_fit({.name = name, .index = index++, .count = held_out.size()});
    const TrainingRun& first = runs[members.front()];
    const std::string generation = generation_of(predictor.machine(first.cluster));
    const EfficiencyFit fit(predictor, runs, [&](const TrainingRun& run) {
      const bool like =
          what == HeldOut::machine ? run.cluster == first.cluster : run.model == first.model;
      return !like && generation_of(predictor.machine(run.cluster)) == generation;
    });
    for (const std::size_t i : members) seconds[i] = fit.seconds(runs[i]);
  }
  return seconds;
}

}  // namespace railyard::placement
