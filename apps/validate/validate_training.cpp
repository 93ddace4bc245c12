#include "apps/validate/validate_training.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "apps/cli/progress.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/validate/training_rows.hpp"
#include "core/diagnostic.hpp"
#include "placement/measured/efficiency_fit.hpp"
#include "placement/measured/read_training_map.hpp"
#include "placement/measured/step_errors.hpp"
#include "placement/measured/step_predictor.hpp"
#include "placement/measured/step_residuals.hpp"
#include "placement/measured/whole_step.hpp"

namespace railyard::apps {
namespace {

using namespace placement;

std::vector<double> seconds_without(HeldOut what, StepPredictor& predictor,
                                    const std::vector<TrainingRun>& runs, Context& context) {
  std::optional<Progress> progress;
  return seconds_left_out(predictor, runs, what, [&](const HeldOutFit& fit) {
    if (!progress) progress.emplace(context, fit.count);
    progress->next(fit.name);
  });
}

void leave_out(StepPredictor& predictor, const std::vector<TrainingRun>& runs,
               std::vector<PredictedStep>& steps, Context& context) {
  const auto model = seconds_without(HeldOut::model, predictor, runs, context);
  const auto machine = seconds_without(HeldOut::machine, predictor, runs, context);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].without_model_s = model[i];
    steps[i].without_machine_s = machine[i];
  }
}

/// Simulates each step at flow fidelity. Adds notes on steps that cannot be simulated.
void simulate_whole_steps(std::vector<PredictedStep>& steps, std::vector<std::string>& notes,
                          Context& context) {
  const EngineFactory engines = engines_of("flow");
  Progress progress(context, steps.size());
  for (PredictedStep& step : steps) {
    const TrainingRun& run = *step.run;
    progress.next(run.cluster);
    const WholeStep whole = whole_step(run, engines);
    if (whole.time) step.whole_step_s = whole.time->seconds();
    if (whole.time) continue;
    notes.push_back(fmt::format("not simulated as a whole step: {} on {} GPUs of {}: {}",
                                to_text(run.strategy), run.gpus, run.cluster, whole.why_not));
    print_note(context, notes.back());
  }
}

void add_datasets(std::string_view kind, const std::vector<StepErrors>& errors,
                  Validation& result) {
  for (const StepErrors& e : errors) result.datasets.push_back({kind, e.set, "", e.errors});
}

}  // namespace

Validation validate_training(const ValidationRequest& request, const TrainingOptions& options,
                             Context& context) {
  Validation result{.kind = "training_validation",
                    .heading = "Training steps: predicted against measured times",
                    .map = request.map.empty() ? "training" : request.map};
  const TrainingMap map = read_training_map(result.map);
  const TrainingRuns found = training_runs(map, read_measured_rows(request.files));
  add_notes("left out: ", found.left_out, result, context);
  add_notes("assumed: ", found.assumed, result, context);
  if (found.runs.empty())
    throw InputError(request.files.front(), "", "no run matches a set of the map",
                     "use --map with a map like configs/validation/training.json");
  StepPredictor predictor;
  std::vector<PredictedStep> steps;
  for (const TrainingRun& run : found.runs) steps.push_back(predictor.predict(run));
  RowTable efficiencies;
  if (options.fit) {
    const EfficiencyFit fit(predictor, found.runs,
                            [&](const TrainingRun& run) { return map.sets[run.set].fitted; });
    for (PredictedStep& step : steps) step.predicted_s = fit.seconds(*step.run);
    efficiencies = tabulate_efficiencies(fit);
  }
  if (options.whole_step) simulate_whole_steps(steps, result.notes, context);
  if (request.leave_one_out) leave_out(predictor, found.runs, steps, context);
  if (request.residuals) {
    const auto machine = seconds_without(HeldOut::machine, predictor, found.runs, context);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].without_machine_s = machine[i];
    result.parts = step_parts(predictor, steps);
    result.residuals = step_residuals(predictor, steps);
    if (!request.leave_one_out)
      for (PredictedStep& step : steps) step.without_machine_s = 0;
  }
  const std::vector<StepErrors> errors = all_step_errors(map, steps);
  result.rows = tabulate_steps(map, steps);
  result.errors = tabulate_step_errors(errors);
  const auto no_model = step_errors_of(map, steps, &PredictedStep::without_model_s);
  const auto no_machine = step_errors_of(map, steps, &PredictedStep::without_machine_s);
  const auto whole = step_errors_of(map, steps, &PredictedStep::whole_step_s);
  const RowTable whole_steps = tabulate_step_errors(whole);
  const RowTable without_model = tabulate_step_errors(no_model);
  const RowTable without_machine = tabulate_step_errors(no_machine);
  result.sections = {{"sets", result.errors, false},
                     {"without_model", without_model, false},
                     {"without_machine", without_machine, false},
                     {"whole_steps", whole_steps, false},
                     {"efficiencies", efficiencies, false}};
  result.before = {
      {"Fitted efficiencies:", efficiencies},
      {"Each model, predicted with efficiencies fitted without it:", without_model},
      {"Each machine, predicted with efficiencies fitted without it:", without_machine},
      {"Each step simulated as one workload:", whole_steps}};
  for (const StepErrors& e : errors) add_errors(request, {"training", e.set, "", e.errors}, result);
  add_datasets("training, each model left out of the fit", no_model, result);
  add_datasets("training, each machine left out of the fit", no_machine, result);
  add_datasets("training, whole steps simulated", whole, result);
  return result;
}

}  // namespace railyard::apps
