#include "placement/serving/measured/serving_errors.hpp"

#include <array>

#include "core/error_groups.hpp"
#include "placement/serving/measured/throughput_residuals.hpp"

namespace railyard::placement::serving {
namespace {

using core::error_pct;

std::optional<double> tpot_error(const ServingRun& run, const ClosedResult& predicted) {
  if (predicted.tpot <= 0) return std::nullopt;
  return error_pct(predicted.tpot, run.measured_tpot);
}

std::optional<double> ttft_error(const ServingRun& run, const ClosedResult& predicted) {
  if (predicted.tpot <= 0 || run.measured_ttft <= 0) return std::nullopt;
  return error_pct(predicted.ttft, run.measured_ttft);
}

std::optional<double> throughput_error(const PredictedServing& predicted) {
  const ServingRun& run = *predicted.run;
  if (run.measured_ttft <= 0) return std::nullopt;
  return error_pct(run.tokens_per_s_per_gpu(predicted.simulated.ttft, predicted.simulated.tpot),
                   run.tokens_per_s_per_gpu(run.measured_ttft, run.measured_tpot));
}

}  // namespace

double PredictedServing::tpot_error_pct() const {
  return error_pct(simulated.tpot, run->measured_tpot);
}

std::optional<double> PredictedServing::ttft_error_pct() const {
  if (run->measured_ttft <= 0) return std::nullopt;
  return error_pct(simulated.ttft, run->measured_ttft);
}

std::vector<PredictedServing> predict_servings(ServingPredictor& predictor,
                                               std::span<const ServingRun> runs,
                                               const EngineEfficiencies& with) {
  std::vector<PredictedServing> predicted;
  for (const ServingRun& run : runs)
    predicted.push_back({.run = &run,
                         .simulated = predictor.simulate(run, with),
                         .closed_tpot = run.prefill ? 0 : predictor.predict(run, with).tpot});
  return predicted;
}

std::vector<ServingErrors> serving_errors(std::span<const PredictedServing> runs) {
  using Run = PredictedServing;
  const auto names = [](const Run& one) { return std::array{one.run->group}; };
  std::vector<ServingErrors> errors;
  for (const auto& group : core::run_groups<Run>(
           runs, names,
           {{"all dense models",
             [](const Run& one) { return !one.run->has_experts && !one.run->prefill; }},
            {"all models with experts",
             [](const Run& one) { return one.run->has_experts && !one.run->prefill; }},
            {"all pools", [](const Run& one) { return one.run->prefill.has_value(); }}})) {
    const auto tpot_without = [&](ClosedResult Run::*result) {
      return group.errors([=](const Run& one) { return tpot_error(*one.run, one.*result); });
    };
    const auto ttft_without = [&](ClosedResult Run::*result) {
      return group.errors([=](const Run& one) { return ttft_error(*one.run, one.*result); });
    };
    errors.push_back({.group = group.name,
                      .tpot = group.errors(&Run::tpot_error_pct),
                      .ttft = group.errors(&Run::ttft_error_pct),
                      .throughput = group.errors(throughput_error),
                      .without_model = tpot_without(&Run::without_model),
                      .without_cluster = tpot_without(&Run::without_cluster),
                      .without_model_ttft = ttft_without(&Run::without_model),
                      .without_cluster_ttft = ttft_without(&Run::without_cluster)});
  }
  return errors;
}

std::vector<ServingRange> serving_ranges(std::span<const PredictedServing> runs) {
  std::vector<ServingRange> ranges;
  for (const bool experts : {false, true}) {
    for (const bool in_fit : {true, false}) {
      std::vector<PredictedRun> some;
      for (const PredictedServing& one : runs) {
        const ClosedResult& result = in_fit ? one.simulated : one.without_cluster;
        if (one.run->has_experts == experts && !one.run->prefill && result.tpot > 0)
          some.push_back({one.run, result.ttft, result.tpot});
      }
      const std::vector<ThroughputResidual> residuals = high_load_residuals(some);
      if (!residuals.empty())
        ranges.push_back({experts, in_fit, residuals.size(), range_of(residuals)});
    }
  }
  return ranges;
}

}  // namespace railyard::placement::serving
