#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "apps/cli/setting.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/strategy_rows.hpp"
#include "apps/plan/plan_commands.hpp"
#include "apps/plan/train/assumption_rows.hpp"
#include "apps/plan/train/train_request.hpp"
#include "apps/plan/train/train_rows.hpp"
#include "core/diagnostic.hpp"
#include "placement/capacity/rents.hpp"
#include "placement/capacity/training/failure_study.hpp"
#include "placement/capacity/training/training_answer.hpp"
#include "placement/capacity/training/training_cases.hpp"
#include "placement/capacity/training/training_size.hpp"
#include "placement/model/batch_notes.hpp"

namespace railyard::apps {
namespace {

using placement::CaseResult;
using placement::TrainingOption;
using placement::TrainingPlanRequest;

/// Adds sections on the failures of an option: its time by part, the causes that waste most (each
/// also simulated with half of its rate), waiting against shrinking, and slow components.
void add_failure_sections(const TrainingPlanRequest& request, const TrainingOption& option,
                          ResultDocument& document) {
  const placement::FailureStudy study = placement::failure_study(request, option);
  document.sections.push_back({"time", tabulate_time(option)});
  document.sections.push_back({"wastes", tabulate_wastes(study.wastes)});
  document.sections.push_back({"recovery", tabulate_recovery(study.recovery)});
  if (request.grey_runners)
    document.sections.push_back({"grey_failures", tabulate_grey(option, study.grey)});
}

/// Adds a note on the size of the job: operations, and the checkpoint.
void note_size(const TrainingPlanRequest& request, Provenance& provenance) {
  placement::Job job = request.job;
  job.tokens = request.training.tokens;
  provenance.notes.push_back(placement::training_size_text(job));
}

void note_prices(const TrainingPlanRequest& request, std::span<const TrainingOption> options,
                 Context& context) {
  std::vector<std::string> seen;
  for (const TrainingOption& option : options) {
    if (request.prices.contains(option.cluster) || !option.cost) continue;
    if (std::ranges::find(seen, option.gpu) != seen.end()) continue;
    seen.push_back(option.gpu);
    print_note(context, placement::example_price_note(option.gpu, placement::price_in_cost(option),
                                                      request.training.currency));
  }
}

int run_train(const TrainFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{.command = command_without_threads(context), .seed = flags.seed};
  const TrainingPlanRequest request = train_request(flags, provenance);
  for (const std::string& candidate : request.candidates)
    (void)load_cluster({.cluster = candidate, .nodes = {}, .gpus = {}, .ranks = {}}, provenance);
  const std::vector<CaseResult> results = placement::run_cases(request, flags.threads);
  std::vector<TrainingOption> options;
  for (const CaseResult& result : results) {
    for (std::string& text : placement::batch_notes(request.job, result.asked.gpus))
      if (std::ranges::find(provenance.notes, text) == provenance.notes.end())
        provenance.notes.push_back(std::move(text));
    if (result.option)
      options.push_back(*result.option);
    else
      provenance.notes.push_back(fmt::format("{} GPUs of {}: {}", result.asked.gpus,
                                             result.asked.cluster, result.why_not));
  }
  if (options.empty())
    throw InputError("", "--candidates",
                     "no candidate can run this job: " + results.front().why_not,
                     "other clusters, or other numbers of GPUs");
  note_size(request, provenance);
  placement::choose(options, request.limits);
  const TrainingOption& chosen = placement::chosen_option(options, request.limits);
  provenance.facts.emplace_back("tokens", fmt::format("{:g}", request.training.tokens));
  provenance.facts.emplace_back("currency", request.training.currency);
  provenance.facts.emplace_back("chosen",
                                fmt::format("{} GPUs of {}", chosen.gpus, chosen.cluster));
  ResultDocument document{.kind = "plan_train",
                          .provenance = provenance,
                          .answers = placement::answer_of(request, options),
                          .rows = tabulate_options(options)};
  if (!flags.wide) document.summary = summarise_options(options);
  document.sections.push_back({"scaling", tabulate_scaling(placement::scaling_curve(
                                              request.job, results, flags.efficiency))});
  add_failure_sections(request, chosen, document);
  document.sections.push_back({"power", tabulate_power(chosen)});
  document.sections.push_back({"cost", tabulate_cost(chosen)});
  if (flags.improvements)
    document.sections.push_back(
        {"what_helps", tabulate_changes(placement::improvements(request, chosen, flags.threads))});
  document.sections.push_back(
      {"assumptions", tabulate_assumptions(request.training.assumed,
                                           {.purchase = !flags.purchase.empty(),
                                            .grey = flags.grey_failures,
                                            .without_spare = flags.without_spare},
                                           options)});
  write_result(document, flags.output, context);
  for (const std::string& text : provenance.notes) print_note(context, text);
  note_prices(request, options, context);
  return chosen.within_limits ? ExitCode::done : ExitCode::finding;
}

}  // namespace

RunCommand add_plan_train(FlagSet app) {
  const auto flags = std::make_shared<TrainFlags>();
  add_train_flags(app, *flags);
  return [flags](Context& context) { return run_train(*flags, context); };
}

}  // namespace railyard::apps
