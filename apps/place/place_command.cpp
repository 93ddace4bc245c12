#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "apps/cli/announcer.hpp"
#include "apps/cli/commands.hpp"
#include "apps/cli/interruptible.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/routing_columns.hpp"
#include "apps/output/strategy_rows.hpp"
#include "apps/place/elastic.hpp"
#include "apps/place/job_sections.hpp"
#include "apps/place/mapping_sections.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/place_flags.hpp"
#include "apps/place/plan_choice.hpp"
#include "apps/place/price_sections.hpp"
#include "apps/place/queue.hpp"
#include "apps/place/search_watch.hpp"
#include "apps/place/step_sections.hpp"
#include "apps/place/type_sections.hpp"
#include "apps/place/unused_flags.hpp"
#include "apps/place/whole_step.hpp"
#include "core/diagnostic.hpp"
#include "placement/capacity/training/training_size.hpp"
#include "placement/jobs/alternatives.hpp"
#include "placement/jobs/candidate_notes.hpp"
#include "placement/launch/launch_formats.hpp"

namespace railyard::apps {
namespace {

using placement::Mapper;
using placement::Mapping;
using placement::PlaceProblem;
using placement::SimulatedStrategy;

std::vector<StrategyRow> rows_of(const PlaceProblem& problem,
                                 const std::vector<SimulatedStrategy>& found) {
  std::vector<StrategyRow> rows;
  for (const SimulatedStrategy& one : found) {
    StrategyRow row = strategy_row(problem.context(), one.scored);
    if (one.simulated) row.simulated_s = one.simulated->total.seconds();
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Whether replicas are of several classes, so that columns alone do not describe the strategy.
bool has_classes(const SimulatedStrategy& one) { return !one.scored.strategy.classes.empty(); }

/// Prints the best strategy as text, and why the second one is worse.
void explain(const placement::Goal& goal, const PlaceProblem& problem,
             const std::vector<SimulatedStrategy>& found, Context& context) {
  if (found.size() < 2 && !has_classes(found.front())) return;
  print_note(context, fmt::format("the best strategy, for --fix: {}",
                                  placement::to_text(found.front().scored.strategy)));
  if (found.size() > 1) print_note(context, placement::note_on_second(goal, problem, found));
}

/// Throws InputError if a launch file and a result both use standard output, or for a folder that
/// does not exist and whose name differs from a format by one letter ("slurn").
void check_launch(const PlaceRequest& request) {
  const OutputFlags& output = request.output;
  for (const std::string& target : request.launch.targets) {
    if (placement::find_launch_format(target) != nullptr || std::filesystem::exists(target))
      continue;
    for (const placement::LaunchFormat& format : placement::launch_formats()) {
      const std::size_t shorter = std::min(target.size(), format.name.size());
      const bool is_near = std::max(target.size(), format.name.size()) <= shorter + 1 &&
                           !core::did_you_mean(target, std::array{format.name}).empty();
      if (is_near)
        throw InputError(
            "", "--emit", fmt::format("'{}' is neither a format nor a folder", target),
            fmt::format("--emit {}, or --emit ./{} for a new folder", format.name, target));
    }
  }
  if (prints_launch_file(request.launch) &&
      (output.json == "-" || output.csv == "-" || output.trace == "-"))
    throw InputError("", "--emit",
                     "a format is printed to standard output, which another flag already uses",
                     "give a folder: --emit DIR");
}

/// Adds leaf groups, re-packing and start options of the best strategy on an occupied cluster.
void add_job_sections(const PlaceRequest& request, const PlaceProblem& problem,
                      const Mapper& mapper, const placement::Strategy& strategy,
                      const Mapping& mapping, ResultDocument& document) {
  const placement::EngineFactory engines = engines_of(request.fidelity, request.announce);
  document.sections.push_back({"leaf_groups", tabulate_leaf_groups(placement::leaf_group_use(
                                                  problem, mapper.tiers(), mapping))});
  if (!problem.occupancy.jobs.empty())
    document.sections.push_back(
        {"repacking",
         tabulate_repackings(
             problem, mapper.tiers(),
             placement::repackings(problem, engines, strategy, request.restart.value_or(Time())))});
  if (!placement::job_ends(problem.occupancy).empty())
    document.sections.push_back(
        {"start_options", tabulate_start_options(placement::start_options(
                              problem, engines, strategy,
                              placement::steps_to_tokens(request.objective, problem.job)))});
}

/// Returns the GPUs of the ranks. Adds sections on the mappings if they were searched.
Mapping add_mapping(const PlaceRequest& request, const PlaceProblem& problem, const Mapper& mapper,
                    const SimulatedStrategy& best, ResultDocument& document, Context& context) {
  const placement::Strategy& strategy = best.scored.strategy;
  if (!mapper.searches()) return mapper.mappings(strategy).front();
  const auto options = mapper.options(strategy);
  Mapping mapping =
      chosen_mapping(options, best.mapping, best.simulated.has_value(), context).choice.mapping;
  document.sections.push_back({"mapping", tabulate_mappings(options)});
  document.sections.push_back(
      {"phases", tabulate_phases(mapper.tiers(), mapper.loads(strategy, mapping))});
  if (!problem.occupancy.empty())
    add_job_sections(request, problem, mapper, strategy, mapping, document);
  return mapping;
}

/// Adds the time of each collective of the best strategy, in its step and alone, with this mapping.
void add_prices(const PlaceRequest& request, const PlaceProblem& problem, const Mapper& mapper,
                const SimulatedStrategy& best, ResultDocument& document) {
  const placement::Strategy& strategy = best.scored.strategy;
  const auto engine = engines_of_collectives_alone(request.source.cluster.cluster)(problem);
  const auto prices = placement::collective_prices(
      problem.context(), strategy, mapper.mappings(strategy)[best.mapping], *engine);
  document.sections.push_back({"collectives", tabulate_prices(problem.context(), prices)});
}

/// Adds the data of a report's drawings, which are written to files only.
void add_timeline(const PlaceRequest& request, const PlaceProblem& problem,
                  const SimulatedStrategy& best, const Mapping& mapping, ResultDocument& document) {
  const auto events = best.as_workload
                          ? whole_step_events(request, problem, best, mapping, kShownMicroBatches)
                          : timeline_of(problem, best, kShownMicroBatches);
  document.sections.push_back({"timeline", tabulate_timeline(events), false});
  document.sections.push_back(
      {"ranks", tabulate_ranks(problem.cluster, best.scored.strategy, mapping), false});
}

/// The strategies of a job; with several GPU types, with their types.
ResultDocument strategies_document(const PlaceRequest& request, const PlaceProblem& problem,
                                   const std::vector<SimulatedStrategy>& found, bool is_mapped,
                                   const Provenance& provenance) {
  const std::vector<StrategyRow> rows = rows_of(problem, found);
  ResultDocument document{.kind = "strategies",
                          .provenance = provenance,
                          .rows = tabulate_strategies(rows),
                          .sections = {{"memory", tabulate_memory(rows), request.wide}}};
  // Routing affects simulations and searched mappings, but not the formula.
  const bool is_routed = (found.front().simulated || is_mapped) && problem.cluster.node_count() > 1;
  add_routing(problem.routing, is_routed, document.rows);
  if (!request.wide) {
    document.summary = summarise_strategies(rows);
    add_routing(problem.routing, is_routed, *document.summary);
  }
  if (has_classes(found.front()))
    document.sections.push_back(
        {"stages", tabulate_stages(problem.context(), found.front().scored)});
  return document;
}

/// Adds the job's alternatives on a cluster of several types, simulated if the best strategy was.
std::vector<placement::Alternative> add_alternatives(const PlaceRequest& request,
                                                     const PlaceProblem& problem,
                                                     const Mapper& mapper,
                                                     const SimulatedStrategy& best,
                                                     ResultDocument& document) {
  if (!request.given.empty() || problem.types.size() == 1) return {};
  auto others = placement::alternatives(
      problem, request.space, mapper,
      best.simulated ? engines_of(request.fidelity, request.announce) : placement::EngineFactory());
  document.sections.push_back({"alternatives", tabulate_alternatives(best, others)});
  return others;
}

/// Places a new job.
int run_new_job(const PlaceRequest& request, PlaceProblem read, Provenance& provenance,
                Context& context) {
  // In a sweep ctrl-C ends the whole sweep, which can be resumed.
  const Interruptible guard(!context.take_result);
  placement::GivenProblem given = placement::read_given(request.given, std::move(read));
  for (std::string& text : given.notes) note(provenance, context, std::move(text));
  if (request.top && given.strategy &&
      placement::is_complete(given.problem.context(), given.strategy->strategy))
    throw InputError("", "--top", "applies to a search; here one strategy is given",
                     "leave it out, or leave out --fix and --from-megatron");
  if (const std::string currency = placement::currency_of(request.objective, given.problem);
      !currency.empty())
    provenance.facts.emplace_back("currency", currency);
  const PlanChoice plan = choose_plan(request, std::move(given.problem), context);
  const PlaceProblem& problem = plan.problem;
  for (auto& [name, value] : provenance.facts)
    if (name == "batch") value = fmt::format("{}", problem.job.batch);
  const Mapper mapper(problem, request.mapping || !problem.occupancy.empty());
  const placement::Goal goal = placement::goal_of(request.objective, problem);
  placement::CandidateRequest asked = candidate_request(request, given.strategy, goal);
  asked.watch = search_watch(provenance, context);
  if (const auto* chosen = placement::chosen_of(plan.options); chosen != nullptr && plan.stopped)
    asked.so_far = &chosen->best;
  const std::vector<SimulatedStrategy> found = placement::find_candidates(asked, problem, mapper);
  const SimulatedStrategy& best = found.front();
  if (problem.types.size() > 1 || has_classes(best))
    for (std::string& text : placement::notes_on_types(problem, best.scored.strategy))
      note(provenance, context, std::move(text));
  if (std::string text = placement::note_on_peak(problem); !text.empty())
    note(provenance, context, std::move(text));
  if (const std::string size = placement::training_size_text(problem.job);
      request.wide && !size.empty())
    note(provenance, context, size);
  ResultDocument document =
      strategies_document(request, problem, found, mapper.searches(), provenance);
  const auto others = add_alternatives(request, problem, mapper, best, document);
  const bool in_time = add_training_totals(request, plan, found, others, document);
  const Mapping mapping = add_mapping(request, problem, mapper, best, document, context);
  if (request.wide) add_prices(request, problem, mapper, best, document);
  if (request.timeline) add_timeline(request, problem, best, mapping, document);
  for (const std::string& text :
       add_step_range(placement::StepRange(problem.cluster), request.range, document))
    print_note(context, text);
  if (!add_whole_step(request, problem, best, mapping, document, context))
    write_step_trace(request.output, problem, best, context);
  write_beside_launch(document, request.output, request.launch, context);
  explain(goal, problem, found, context);
  if (const std::string text = placement::note_on_formula(problem, best); !text.empty())
    print_note(context, text);
  if (!best.scored.fits && !request.launch.targets.empty())
    print_note(context, "the strategy of the launch files does not fit in memory");
  for (const std::string& text : placement::rate_notes(request.objective, problem))
    print_note(context, text);
  emit({.request = request.launch,
        .problem = problem,
        .strategy = best.scored.strategy,
        .mapping = mapping},
       context);
  if (!in_time) print_note(context, "the best takes longer than --max-days");
  return best.scored.fits && in_time ? ExitCode::done : ExitCode::finding;
}

int run_place(const PlaceFlags& flags, Context& context) {
  check_output(flags.output);
  PlaceRequest request = place_request(flags);
  request.announce = announcer(context);
  check_launch(request);
  refuse_unused(flags);
  if (!request.queue.empty()) return run_queue(request, context);
  if (request.is_elastic()) check_elastic(request);
  Provenance provenance{.command = context.command};
  PlaceProblem problem = read_problem(request.source, provenance);
  for (const std::string& text : provenance.notes) print_note(context, text);
  return request.is_elastic() ? run_elastic(request, std::move(problem), provenance, context)
                              : run_new_job(request, std::move(problem), provenance, context);
}

}  // namespace

RunCommand add_place(FlagSet app) {
  const auto flags = std::make_shared<PlaceFlags>();
  add_place_flags(app, *flags);
  return [flags](Context& context) { return run_place(*flags, context); };
}

}  // namespace railyard::apps
