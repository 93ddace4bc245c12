#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "apps/cli/thread_flag.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/strategy_rows.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/plan/plan_commands.hpp"
#include "apps/plan/train/train_cases.hpp"
#include "apps/plan/train/train_rows.hpp"
#include "apps/plan/train/train_text.hpp"
#include "apps/plan/train/what_helps.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using placement::TrainingOption;

/// The option that the sections are about: the cheapest within the limits, else the nearest.
const TrainingOption& chosen_of(const TrainPlanRequest& request,
                                std::span<const TrainingOption> options) {
  const auto cheapest = std::ranges::find_if(options, &TrainingOption::cheapest);
  if (cheapest != options.end()) return *cheapest;
  double ratio = 0;
  return *placement::nearest_option(options, request.limits, ratio);
}

/// Sections on the failures of an option: where its time goes, the causes that waste most with half
/// of each simulated again, waiting against shrinking, and slow components.
void add_failure_sections(const TrainPlanRequest& request, const TrainingOption& option, bool grey,
                          ResultDocument& document) {
  constexpr std::size_t kLargest = 5;
  const placement::PlaceProblem problem =
      case_problem(topology::build_cluster(topology::read_cluster(option.cluster, option.nodes)),
                   request.job, option.gpus);
  const placement::ClusterParts parts = placement::cluster_parts(problem.cluster);
  const placement::TrainingRequest& training = request.training;
  const placement::RunSetup setup =
      placement::run_setup(training, problem, parts, option.best, placement::RangeEnd::value);
  document.sections.push_back({"time", tabulate_time(option)});
  document.sections.push_back({"wastes", tabulate_wastes(placement::largest_wastes(
                                             setup, option.goodput, training.runs, kLargest))});
  document.sections.push_back({"recovery", tabulate_recovery(placement::compare_recovery(
                                               training, problem, parts, option.best))});
  if (grey)
    document.sections.push_back(
        {"grey_failures",
         tabulate_grey(placement::grey_failures(problem, option.best.strategy, engines_of("flow"),
                                                training.assumed.at("grey_detection")))});
}

/// The size of the job: operations, and the checkpoint.
void note_size(const TrainPlanRequest& request, Provenance& provenance) {
  placement::Job job = request.job;
  job.tokens = request.training.tokens;
  provenance.notes.push_back(training_size(job));
}

void note_prices(const TrainPlanRequest& request, std::span<const TrainingOption> options,
                 Context& context) {
  std::vector<std::string> seen;
  for (const TrainingOption& option : options) {
    if (request.prices.contains(option.cluster) || !option.cost) continue;
    if (std::ranges::find(seen, option.gpu) != seen.end()) continue;
    seen.push_back(option.gpu);
    print_note(context,
               fmt::format("price of {}: {:.3g} {} per GPU-hour, an example from its config; set "
                           "yours with --price",
                           option.gpu,
                           option.cost->value / (option.days.value * 24) /
                               (option.gpus + option.spares * option.gpus / option.nodes),
                           request.training.currency));
  }
}

int run_train(const TrainFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{
      .command = command_without_threads(context), .facts = {}, .configs = {}, .seed = flags.seed};
  const TrainPlanRequest request = train_request(flags, provenance);
  const std::vector<TrainResult> results = run_cases(request, flags.threads, provenance);
  std::vector<TrainingOption> options;
  for (const TrainResult& result : results) {
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
  const TrainingOption& chosen = chosen_of(request, options);
  provenance.facts.emplace_back("tokens", fmt::format("{:g}", request.training.tokens));
  provenance.facts.emplace_back("currency", request.training.currency);
  provenance.facts.emplace_back("chosen",
                                fmt::format("{} GPUs of {}", chosen.gpus, chosen.cluster));
  ResultDocument document{
      .kind = "plan_train", .provenance = provenance, .rows = tabulate_options(options)};
  if (!flags.wide) document.summary = summarise_options(options);
  document.sections.push_back(
      {"scaling", tabulate_scaling(request.job, results, flags.efficiency)});
  add_failure_sections(request, chosen, flags.grey_failures, document);
  document.sections.push_back({"power", tabulate_power(chosen)});
  if (flags.what_helps)
    document.sections.push_back(
        {"what_helps", tabulate_changes(what_helps(request, chosen, flags.threads))});
  document.sections.push_back(
      {"assumptions", tabulate_assumptions(request.training.assumed, !flags.purchase.empty())});
  const std::vector<std::string> answer = answer_of(request, options);
  document.provenance.notes.insert(document.provenance.notes.begin(), answer.begin(), answer.end());
  const bool prints = flags.output.json != "-" && flags.output.csv != "-";
  if (prints) {
    for (const std::string& line : answer) context.out << line << '\n';
    context.out << '\n';
  }
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
