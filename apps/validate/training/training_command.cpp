#include "apps/validate/training/training_command.hpp"

#include <fmt/format.h>

#include <ostream>

#include "apps/output/result_output.hpp"
#include "apps/validate/training/efficiency_fit.hpp"
#include "apps/validate/training/step_errors.hpp"
#include "apps/validate/training/step_predictor.hpp"
#include "apps/validate/training/step_rows.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

std::vector<MeasuredRows> tables_of(const std::vector<std::string>& files) {
  std::vector<MeasuredRows> tables;
  for (const std::string& file : files)
    for (MeasuredRows& rows : read_measured_rows(file)) tables.push_back(std::move(rows));
  return tables;
}

int verdict(const TrainingRequest& request, const std::vector<StepErrors>& errors,
            Context& context) {
  int code = ExitCode::done;
  for (const StepErrors& e : errors) {
    if (request.max_error <= 0 || e.mean_abs <= request.max_error) continue;
    print_error(context, fmt::format("{}: mean error {:.1f} %, more than the {} % of --max-error",
                                     e.set, e.mean_abs, request.max_error));
    code = ExitCode::finding;
  }
  return code;
}

void leave_out(StepPredictor& predictor, const std::vector<TrainingRun>& runs,
               std::vector<JudgedStep>& steps, Context& context) {
  const auto model = seconds_left_out(predictor, runs, HeldOut::model, context);
  const auto machine = seconds_left_out(predictor, runs, HeldOut::machine, context);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].without_model_s = model[i];
    steps[i].without_machine_s = machine[i];
  }
}

/// Errors by set of other predictions of the same steps; no rows where they were not asked for.
RowTable errors_without(const TrainingMap& map, std::vector<JudgedStep> steps,
                        double JudgedStep::*seconds) {
  for (JudgedStep& step : steps) step.predicted_s = step.*seconds;
  if (steps.front().predicted_s <= 0) return {};
  return tabulate_step_errors(step_errors(map, steps));
}

void show(const RowTable& table, const char* heading, bool quiet, Context& context) {
  if (table.rows.empty() || quiet) return;
  context.out << heading << '\n';
  write_table(table, context.out);
  context.out << '\n';
}

}  // namespace

int validate_training(const TrainingRequest& request, Context& context) {
  const TrainingMap map = read_training_map(request.map);
  const TrainingRuns found = training_runs(map, tables_of(request.files));
  if (found.runs.empty())
    throw InputError(request.files.front(), "", "has no run that a set of the map is for",
                     "--map names a map like configs/validation/training.json");
  const bool quiet = request.output.json == "-" || request.output.csv == "-";
  StepPredictor predictor;
  std::vector<JudgedStep> steps;
  for (const TrainingRun& run : found.runs)
    steps.push_back({.run = &run, .predicted_s = predictor.seconds(run)});
  RowTable efficiencies;
  if (request.fit) {
    const EfficiencyFit fit(predictor, found.runs,
                            [&](const TrainingRun& run) { return map.sets[run.set].fitted; });
    for (JudgedStep& step : steps) step.predicted_s = fit.seconds(*step.run);
    efficiencies = tabulate_efficiencies(fit);
    show(efficiencies, "Fitted:", quiet, context);
  }
  if (request.leave_one_out) leave_out(predictor, found.runs, steps, context);
  Provenance provenance{
      .command = context.command, .facts = {{"map", request.map}}, .configs = {}, .seed = 0};
  for (const std::string& reason : found.left_out) {
    provenance.notes.push_back("left out: " + reason);
    print_note(context, provenance.notes.back());
  }
  const std::vector<StepErrors> errors = step_errors(map, steps);
  const RowTable summary = tabulate_step_errors(errors);
  const RowTable without_model = errors_without(map, steps, &JudgedStep::without_model_s);
  const RowTable without_machine = errors_without(map, steps, &JudgedStep::without_machine_s);
  show(without_model, "Each model, by efficiencies fitted without it:", quiet, context);
  show(without_machine, "Each machine, by efficiencies fitted without it:", quiet, context);
  write_result({.kind = "training_validation",
                .provenance = provenance,
                .rows = tabulate_steps(map, steps),
                .sections = {{"sets", summary, false},
                             {"without_model", without_model, false},
                             {"without_machine", without_machine, false},
                             {"efficiencies", efficiencies, false}},
                .summary = summary},
               request.output, context);
  return verdict(request, errors, context);
}

}  // namespace railyard::apps
