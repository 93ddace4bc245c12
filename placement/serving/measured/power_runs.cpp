#include "placement/serving/measured/power_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placement/serving/step/step_power.hpp"

namespace railyard::placement::serving {
namespace {

/// If decodes take at least this share of a run's time, the mean power counts as that of decodes.
constexpr double kMostlyDecodes = 0.8;

}  // namespace

PowerRuns power_runs(const ServingMap& map, const std::vector<MeasuredRows>& tables) {
  MappedRows mapped = mapped_rows(map, {.model = "model", .machine = "gpu"}, tables);
  PowerRuns found;
  for (const MappedRow& row : mapped.rows) {
    PowerRun run{.model = row.model,
                 .cluster = row.cluster,
                 .group = fmt::format("{} {} tp {}", row.model, row.text("gpu"), row.count("tp")),
                 .deployment = {.tp = row.count("tp"), .graphs = false},
                 .prompt = row.number("prompt_tokens", 0),
                 .batch = row.number("batch", 0),
                 .output = row.number("output_tokens", 0),
                 .prompt_seconds = row.number("prompt_ms", 0) / 1e3,
                 .token_seconds = row.number("token_ms", 0) / 1e3,
                 .prompt_power = row.number("peak_power_of_tdp", 0)};
    const double decodes = (run.output - 1) * run.token_seconds;
    if (decodes >= kMostlyDecodes * (decodes + run.prompt_seconds))
      run.decode_power = row.number("average_power_of_tdp", 0);
    if (run.prompt_power > 0 && run.prompt_seconds > 0 && run.token_seconds > 0)
      found.runs.push_back(std::move(run));
    else
      ++mapped.left_out["no power or no times"];
  }
  found.left_out = mapped.reasons();
  return found;
}

double PredictedPower::highest_reading(double seconds) const {
  const double share = std::min(1.0, seconds / kPowerWindow);
  return std::max(decode, decode + (prompt - decode) * share);
}

PredictedPower predict_power(ServingPredictor& predictor, const PowerRun& run) {
  const Model& model = predictor.model(run.model);
  const Processor& gpu = predictor.machine(run.cluster).gpu;
  const ServingMemory memory = serving_memory(model, gpu, run.deployment);
  StepBatch prompts;
  for (int i = 0; i < run.batch; ++i) prompts += prompt_part(0, run.prompt, true);
  const StepBatch decodes = decode_batch(run.batch, run.prompt + run.output / 2);
  const auto share = [&](const StepBatch& batch, double seconds) {
    return step_power_share(model, gpu, run.deployment, memory, batch, seconds);
  };
  return {.prompt = share(prompts, run.prompt_seconds),
          .decode = share(decodes, run.token_seconds)};
}

}  // namespace railyard::placement::serving
