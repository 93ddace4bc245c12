#include "apps/place/mixed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/output/result_output.hpp"
#include "apps/output/strategy_rows.hpp"
#include "apps/place/emit.hpp"
#include "apps/place/interruptible.hpp"
#include "apps/place/mixed_candidates.hpp"
#include "apps/place/mixed_instead.hpp"
#include "apps/place/mixed_mapped.hpp"
#include "apps/place/mixed_sections.hpp"
#include "apps/place/plan_choice.hpp"
#include "apps/place/step_sections.hpp"
#include "core/diagnostic.hpp"
#include "placement/simulate/step_timeline.hpp"

namespace railyard::apps {
namespace {

using placement::Scored;
using placement::Verified;

void refuse(const PlaceRequest& request) {
  const auto no = [](bool given, const char* flag, const char* hint) {
    if (given) throw InputError("", flag, "is for GPUs of one type; these are of several", hint);
  };
  no(!request.given.megatron.empty(), "--from-megatron", "--fix");
  no(!request.source.gemm_table.empty(), "--gemm-table", "leave it out");
}

/// As an engine found it, where it ran it.
Scored as_run(const Verified& one) {
  Scored scored = one.scored;
  if (one.simulated) scored.step = *one.simulated;
  return scored;
}

StrategyRow row_of(const placement::CostContext& c, const Verified& one) {
  StrategyRow row = strategy_row(c, one.scored);
  row.text = placement::to_text(one.scored.strategy);
  if (one.simulated) row.simulated_s = one.simulated->total.seconds();
  return row;
}

/// Days, cost and energy of what was found and of what could be done instead. Whether the best is
/// within --max-days.
bool add_outlooks(const PlaceRequest& request, const placement::PlaceProblem& q,
                  std::span<const Verified> found, std::span<const Scored> instead,
                  ResultDocument& document) {
  if (request.objective.objective.empty()) return true;
  const placement::Goal goal = goal_of(request.objective, q);
  std::vector<placement::PlanOption> rows;
  const auto add = [&](const Scored& one) {
    const std::string text = placement::to_text(one.strategy);
    if (std::ranges::find(rows, text, &placement::PlanOption::text) != rows.end()) return;
    const placement::Outlook outlook = placement::outlook(q.job, one, goal.tokens, goal.rates);
    (void)placement::value_of(goal.objective, one, outlook);
    rows.push_back({.best = one,
                    .outlook = outlook,
                    .batch = q.job.batch,
                    .allowed = goal.most_days <= 0 || outlook.days <= goal.most_days,
                    .text = text});
  };
  for (const Verified& one : found) add(one.scored);
  for (const Scored& one : instead) add(one);
  document.sections.push_back({"outlook", tabulate_plan_options(rows)});
  return rows.front().allowed;
}

/// What is said below the table.
void explain(const std::vector<Verified>& found, const placement::CostContext& c,
             const placement::Goal& goal, Context& context) {
  print_note(context, fmt::format("the best, for --fix: {}",
                                  placement::to_text(found.front().scored.strategy)));
  if (found.size() < 2) return;
  if (goal.objective != placement::Objective::time) {
    const auto value = [&](const Verified& one) { return value_in(goal, c.job, as_run(one)); };
    print_note(context, fmt::format("the second: {:.1f} % more",
                                    100 * (value(found[1]) / value(found[0]) - 1)));
    return;
  }
  const bool both = found[0].simulated.has_value() == found[1].simulated.has_value();
  print_note(context, fmt::format("the second takes longer: {}",
                                  both ? placement::why_slower(as_run(found[0]), as_run(found[1]))
                                       : placement::why_slower(found[0].scored, found[1].scored)));
}

void note_types(const placement::PlaceProblem& q, const Scored& best, Provenance& provenance,
                Context& context) {
  const std::vector<int> used = placement::gpus_used(best.strategy, q.types.size());
  for (std::size_t t = 0; t < q.types.size(); ++t) {
    std::string text =
        fmt::format("{}: {} x {} ({}), {} taken", placement::type_name(static_cast<int>(t)),
                    q.types[t].gpus(), q.types[t].gpu.gpu.name, q.types[t].node, used[t]);
    print_note(context, text);
    provenance.notes.push_back(std::move(text));
  }
}

/// The step's passes and where ranks sit for a report, and as a trace.
void add_timeline(const PlaceRequest& request, const placement::PlaceProblem& q,
                  const Verified& best, const placement::Mapping& mapping, ResultDocument& document,
                  Context& context) {
  if (request.timeline) {
    const auto events = timeline_of(q, best, kShownMicroBatches);
    document.sections.push_back({"timeline", tabulate_timeline(events), false});
    document.sections.push_back(
        {"ranks", tabulate_ranks(q.cluster, best.scored.strategy, mapping), false});
  }
  write_step_trace(request.output, q, best, context);
}

/// Whether a text for --fix gives classes of replicas.
bool has_classes(const std::string& text) {
  const std::string keys = "," + text;
  return keys.find(",stages=") != keys.npos || keys.find(",replicas=") != keys.npos ||
         keys.find(",batches=") != keys.npos;
}

}  // namespace

bool is_mixed(const PlaceRequest& request, const placement::PlaceProblem& q) {
  return q.types.size() > 1 || has_classes(request.given.fix);
}

int run_mixed(const PlaceRequest& request, const placement::PlaceProblem& problem,
              Provenance& provenance, Context& context) {
  refuse(request);
  const Interruptible guard;
  const BatchSearch searched = search_batches(request, problem, context);
  const placement::PlaceProblem& q = searched.problem;
  const placement::Mapper mapper(q, request.mapping || !q.occupancy.empty());
  const MixedMapper places(q, mapper);
  const MixedMappings mappings = [&](const placement::Strategy& m) { return places.mappings(m); };
  const auto found = mixed_candidates(request, q, mappings, searched.best, provenance, context);
  const placement::CostContext c = q.context();
  const Scored& best = found.front().scored;
  note_types(q, best, provenance, context);
  for (auto& [name, value] : provenance.facts)
    if (name == "batch") value = fmt::format("{}", q.job.batch);
  std::vector<StrategyRow> rows;
  for (const Verified& one : found) rows.push_back(row_of(c, one));
  ResultDocument document{.kind = "strategies",
                          .provenance = provenance,
                          .rows = tabulate_strategies(rows),
                          .sections = {{"memory", tabulate_memory(rows), request.wide}}};
  if (!request.wide) document.summary = summarise_strategies(rows);
  document.sections.push_back({"stages", tabulate_stages(c, best)});
  OtherWays instead;
  if (request.given.fix.empty()) {
    instead = other_ways(request, q, mappings, found.front());
    document.sections.push_back({"alternatives", tabulate_alternatives(instead.ways)});
  }
  const bool in_time = add_outlooks(request, q, found, instead.strategies, document);
  const placement::Mapping mapping = places.taken(found.front(), document, context);
  add_timeline(request, q, found.front(), mapping, document, context);
  write_beside_launch(document, request.output, request.launch, context);
  explain(found, c, goal_of(request.objective, q), context);
  for (const std::string& text : rate_notes(request.objective, q)) print_note(context, text);
  emit({.request = request.launch,
        .problem = q,
        .strategy = best.strategy,
        .mapping = mapping,
        .equal_batches = placement::has_equal_batches(best.strategy)},
       context);
  if (!in_time) print_note(context, "the best takes longer than --max-days");
  return best.fits && in_time ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
