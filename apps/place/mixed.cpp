#include "apps/place/mixed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/place/emit.hpp"
#include "apps/place/mixed_candidates.hpp"
#include "apps/place/mixed_sections.hpp"
#include "apps/place/step_sections.hpp"
#include "apps/result_output.hpp"
#include "apps/strategy_rows.hpp"
#include "core/diagnostic.hpp"
#include "placement/mixed/mixed_mapping.hpp"
#include "placement/mixed/mixed_search.hpp"
#include "placement/mixed/mixed_timeline.hpp"
#include "placement/search.hpp"

namespace railyard::apps {
namespace {

using placement::MixedResult;
using placement::MixedScored;
using placement::MixedSpace;
using placement::MixedVerified;

void refuse(const PlaceFlags& flags) {
  const auto no = [](bool given, const char* flag, const char* hint) {
    if (given) throw InputError("", flag, "is for GPUs of one type; these are of several", hint);
  };
  no(!flags.megatron.empty(), "--from-megatron", "--fix");
  no(flags.mapping, "--mapping", "leave it out: ranks follow the order of the nodes of their type");
  no(!flags.gemm_table.empty(), "--gemm-table", "leave it out");
  no(flags.offload, "--offload", "leave it out");
  const std::string& objective = flags.objective.objective;
  no(!objective.empty() && objective != "time", "--objective", "leave it out: the least time");
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

/// A strategy on one type alone.
MixedScored on_type(const placement::Job& job, const placement::Scored& s, int type) {
  const placement::PipelineClass one{
      .types = std::vector<int>(static_cast<std::size_t>(s.strategy.pp), type),
      .replicas = s.strategy.dp,
      .micro_batches = placement::micro_batches(job.batch, s.strategy)};
  return {.mixed = {.strategy = s.strategy, .classes = {one}},
          .step = s.step,
          .memory = s.memory,
          .fullest = type,
          .fits = s.fits};
}

/// The best of each type by itself, and of all as if they were equal: as formulas have it, and
/// where the best was simulated, simulated too.
std::vector<Instead> others(const PlaceFlags& flags, const Question& q, const TypeForms& forms,
                            const MixedMappings& mappings, const MixedVerified& best) {
  const placement::MixedContext c = forms.context(q);
  std::vector<Instead> ways{{.what = "(the best)",
                             .strategy = placement::to_text(best.scored.mixed),
                             .gpus = best.scored.mixed.strategy.gpus(),
                             .seconds = best.scored.step.total.seconds()}};
  if (best.simulated) ways.front().simulated = best.simulated->total.seconds();
  std::vector<MixedScored> found;
  const auto add = [&](std::string what, std::string text, const MixedScored& m) {
    ways.push_back({.what = std::move(what),
                    .strategy = std::move(text),
                    .gpus = m.mixed.strategy.gpus(),
                    .seconds = m.step.total.seconds()});
    found.push_back(m);
  };
  const MixedSpace even{
      .top = 1, .overlap = !flags.no_overlap, .uneven_layers = false, .uneven_batches = false};
  const MixedResult equal = placement::search_mixed(c, even);
  if (!equal.best.empty())
    add("even layers and micro-batches", placement::to_text(equal.best.front().mixed),
        equal.best.front());
  for (int t = 0; t < static_cast<int>(c.types.size()); ++t) {
    const placement::SearchResult alone =
        placement::search(c.of(q.job, t), {.gpus = c.types[static_cast<std::size_t>(t)].gpus(),
                                           .top = 1,
                                           .overlap = !flags.no_overlap});
    if (!alone.best.empty())
      add(fmt::format("{} alone", placement::type_name(t)),
          placement::to_text(alone.best.front().strategy), on_type(q.job, alone.best.front(), t));
  }
  if (!best.simulated) return ways;
  const auto ran = run_each(flags, q, forms, mappings, found);
  for (std::size_t i = 0; i < ran.size(); ++i)
    if (ran[i].simulated) ways[i + 1].simulated = ran[i].simulated->total.seconds();
  return ways;
}

/// What is said below the table.
void explain(const std::vector<MixedVerified>& found, Context& context) {
  print_note(context, fmt::format("the best, for --fix: {}",
                                  placement::to_text(found.front().scored.mixed)));
  if (found.size() < 2) return;
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
void add_timeline(const PlaceFlags& flags, const Question& q, const placement::MixedContext& c,
                  const placement::MixedStrategy& mixed, const placement::Mapping& mapping,
                  ResultDocument& document, Context& context) {
  if (flags.timeline) {
    const auto events = placement::mixed_timeline(c, mixed, kShownMicroBatches);
    document.sections.push_back({"timeline", tabulate_timeline(events), false});
    document.sections.push_back(
        {"ranks", tabulate_ranks(q.cluster, mixed.strategy, mapping), false});
  }
  if (flags.output.trace.empty()) return;
  collectives::Run run;
  run.timeline = placement::trace_events(placement::mixed_timeline(c, mixed));
  write_trace_file(run, flags.output, context);
}

}  // namespace

bool is_mixed(const PlaceFlags& flags, const Question& q) {
  return q.types.size() > 1 || placement::is_mixed_text(flags.fix);
}

int run_mixed(const PlaceFlags& flags, Question& q, Provenance& provenance, Context& context) {
  refuse(flags);
  const TypeForms forms(q.types);
  const MixedMappings mappings = [&](const placement::MixedStrategy& m) {
    return std::vector{placement::mixed_mapping(m, q.types, q.order)};
  };
  const auto found = mixed_candidates(flags, q, forms, mappings, provenance, context);
  const placement::MixedContext c = forms.context(q);
  const MixedScored& best = found.front().scored;
  note_types(c, best, provenance, context);
  std::vector<StrategyRow> rows;
  for (const MixedVerified& one : found) rows.push_back(row_of(c, one));
  ResultDocument document{.kind = "strategies",
                          .provenance = provenance,
                          .rows = tabulate_strategies(rows),
                          .sections = {{"memory", tabulate_memory(rows), flags.wide}}};
  if (!flags.wide) document.summary = summarise_strategies(rows);
  document.sections.push_back({"stages", tabulate_stages(c, best)});
  if (flags.fix.empty())
    document.sections.push_back(
        {"instead", tabulate_instead(others(flags, q, forms, mappings, found.front()))});
  const placement::Mapping mapping = mappings(best.mixed)[found.front().mapping];
  add_timeline(flags, q, c, best.mixed, mapping, document, context);
  const bool prints = std::ranges::any_of(flags.emit, is_launch_format);
  if (!prints || !flags.output.json.empty() || !flags.output.csv.empty())
    write_result(document, flags.output, context, prints ? Table::no : Table::yes);
  explain(found, context);
  const bool equal = std::ranges::all_of(best.mixed.classes, [&](const auto& one) {
    return one.fewer == 0 && one.micro_batches == best.mixed.classes.front().micro_batches;
  });
  emit({.flags = flags,
        .question = q,
        .strategy = best.mixed.strategy,
        .mapping = mapping,
        .equal_batches = equal},
       context);
  return best.fits ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
