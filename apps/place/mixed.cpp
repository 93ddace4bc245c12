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
#include "placement/mixed/mixed_timeline.hpp"

namespace railyard::apps {
namespace {

using placement::MixedScored;
using placement::MixedVerified;

void refuse(const PlaceRequest& request) {
  const auto no = [](bool given, const char* flag, const char* hint) {
    if (given) throw InputError("", flag, "is for GPUs of one type; these are of several", hint);
  };
  no(!request.given.megatron.empty(), "--from-megatron", "--fix");
  no(!request.source.gemm_table.empty(), "--gemm-table", "leave it out");
  no(request.space.offload, "--offload", "leave it out");
}

/// As a strategy on GPUs of one type, for what is said of those.
placement::Scored plain(const MixedScored& m) {
  return {.strategy = m.mixed.strategy, .step = m.step, .memory = m.memory, .fits = m.fits};
}

/// As an engine found it, where it ran it.
placement::Scored as_run(const MixedVerified& one) {
  placement::Scored scored = plain(one.scored);
  if (one.simulated) scored.step = *one.simulated;
  return scored;
}

StrategyRow row_of(const placement::MixedContext& c, const MixedVerified& one) {
  const MixedScored& m = one.scored;
  const placement::Scored scored = plain(m);
  StrategyRow row{.scored = scored,
                  .tokens_per_s = scored.tokens_per_s(c.job),
                  .tflops_per_gpu = placement::flops_per_gpu(c.job, scored) / 1e12,
                  .mfu = placement::mfu(c, m),
                  .bound_by = placement::bound_by(c.of(c.job, m.fullest), scored),
                  .text = placement::to_text(m.mixed)};
  if (one.simulated) row.simulated_s = one.simulated->total.seconds();
  return row;
}

/// Days, cost and energy of what was found and of what could be done instead. Whether the best is
/// within --max-days.
bool add_outlooks(const PlaceRequest& request, const placement::PlaceProblem& q,
                  const placement::MixedContext& c, std::span<const MixedVerified> found,
                  std::span<const MixedScored> instead, ResultDocument& document) {
  if (request.objective.objective.empty()) return true;
  const placement::MixedGoal goal = goal_of(request.objective, q);
  std::vector<placement::PlanOption> rows;
  const auto add = [&](const MixedScored& one) {
    const std::string text = placement::to_text(one.mixed);
    if (std::ranges::find(rows, text, &placement::PlanOption::text) != rows.end()) return;
    const placement::Outlook outlook = mixed_outlook(c, one, goal);
    (void)mixed_value(one, outlook, goal.objective);
    rows.push_back({.best = plain(one),
                    .outlook = outlook,
                    .batch = q.job.batch,
                    .allowed = goal.most_days <= 0 || outlook.days <= goal.most_days,
                    .text = text});
  };
  for (const MixedVerified& one : found) add(one.scored);
  for (const MixedScored& one : instead) add(one);
  document.sections.push_back({"outlook", tabulate_plan_options(rows)});
  return rows.front().allowed;
}

/// What is said below the table.
void explain(const std::vector<MixedVerified>& found, const placement::MixedContext& c,
             const placement::MixedGoal& goal, Context& context) {
  print_note(context, fmt::format("the best, for --fix: {}",
                                  placement::to_text(found.front().scored.mixed)));
  if (found.size() < 2) return;
  if (goal.objective != placement::Objective::time) {
    const auto value = [&](const MixedVerified& one) {
      MixedScored scored = one.scored;
      if (one.simulated) scored.step = *one.simulated;
      return mixed_value(scored, mixed_outlook(c, scored, goal), goal.objective);
    };
    print_note(context, fmt::format("the second: {:.1f} % more",
                                    100 * (value(found[1]) / value(found[0]) - 1)));
    return;
  }
  const bool both = found[0].simulated.has_value() == found[1].simulated.has_value();
  print_note(context, fmt::format("the second takes longer: {}",
                                  both ? placement::why_slower(as_run(found[0]), as_run(found[1]))
                                       : placement::why_slower(plain(found[0].scored),
                                                               plain(found[1].scored))));
}

void note_types(const placement::MixedContext& c, const MixedScored& best, Provenance& provenance,
                Context& context) {
  const std::vector<int> used = placement::gpus_used(best.mixed, c.types.size());
  for (std::size_t t = 0; t < c.types.size(); ++t) {
    std::string text =
        fmt::format("{}: {} x {} ({}), {} taken", placement::type_name(static_cast<int>(t)),
                    c.types[t].gpus(), c.types[t].gpu.gpu.name, c.types[t].node, used[t]);
    print_note(context, text);
    provenance.notes.push_back(std::move(text));
  }
}

/// The step's passes and where ranks sit for a report, and as a trace.
void add_timeline(const PlaceRequest& request, const placement::PlaceProblem& q,
                  const placement::MixedContext& c, const placement::MixedStrategy& mixed,
                  const placement::Mapping& mapping, ResultDocument& document, Context& context) {
  if (request.timeline) {
    const auto events = placement::mixed_timeline(c, mixed, kShownMicroBatches);
    document.sections.push_back({"timeline", tabulate_timeline(events), false});
    document.sections.push_back(
        {"ranks", tabulate_ranks(q.cluster, mixed.strategy, mapping), false});
  }
  if (request.output.trace.empty()) return;
  collectives::Run run;
  run.timeline = placement::trace_events(placement::mixed_timeline(c, mixed));
  write_trace_file(run, request.output, context);
}

}  // namespace

bool is_mixed(const PlaceRequest& request, const placement::PlaceProblem& q) {
  return q.types.size() > 1 || placement::is_mixed_text(request.given.fix);
}

int run_mixed(const PlaceRequest& request, const placement::PlaceProblem& problem,
              Provenance& provenance, Context& context) {
  refuse(request);
  const Interruptible guard;
  const MixedSearch searched = search_batches(request, problem, context);
  const placement::PlaceProblem& q = searched.problem;
  const TypeForms forms(q.types);
  const placement::Mapper mapper(q, request.mapping || !q.occupancy.empty());
  const MixedMapper places(q, mapper);
  const MixedMappings mappings = [&](const placement::MixedStrategy& m) {
    return places.mappings(m);
  };
  const auto found =
      mixed_candidates(request, q, forms, mappings, searched.best, provenance, context);
  const placement::MixedContext c = forms.context(q);
  const MixedScored& best = found.front().scored;
  note_types(c, best, provenance, context);
  for (auto& [name, value] : provenance.facts)
    if (name == "batch") value = fmt::format("{}", q.job.batch);
  std::vector<StrategyRow> rows;
  for (const MixedVerified& one : found) rows.push_back(row_of(c, one));
  ResultDocument document{.kind = "strategies",
                          .provenance = provenance,
                          .rows = tabulate_strategies(rows),
                          .sections = {{"memory", tabulate_memory(rows), request.wide}}};
  if (!request.wide) document.summary = summarise_strategies(rows);
  document.sections.push_back({"stages", tabulate_stages(c, best)});
  OtherWays instead;
  if (request.given.fix.empty()) {
    instead = other_ways(request, q, forms, mappings, found.front());
    document.sections.push_back({"alternatives", tabulate_alternatives(instead.ways)});
  }
  const bool in_time = add_outlooks(request, q, c, found, instead.strategies, document);
  const placement::Mapping mapping = places.taken(found.front(), document, context);
  add_timeline(request, q, c, best.mixed, mapping, document, context);
  write_beside_launch(document, request.output, request.launch, context);
  explain(found, c, goal_of(request.objective, q), context);
  for (const std::string& text : rate_notes(request.objective, q)) print_note(context, text);
  emit({.request = request.launch,
        .problem = q,
        .strategy = best.mixed.strategy,
        .mapping = mapping,
        .equal_batches = placement::has_equal_batches(best.mixed)},
       context);
  if (!in_time) print_note(context, "the best takes longer than --max-days");
  return best.fits && in_time ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
