#include "apps/place/mixed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/place/emit.hpp"
#include "apps/place/interruptible.hpp"
#include "apps/place/mixed_sections.hpp"
#include "apps/place/outlooks.hpp"
#include "apps/result_output.hpp"
#include "apps/strategy_rows.hpp"
#include "core/diagnostic.hpp"
#include "placement/mixed/mixed_mapping.hpp"
#include "placement/mixed/mixed_search.hpp"
#include "placement/search.hpp"

namespace railyard::apps {
namespace {

using placement::MixedResult;
using placement::MixedScored;
using placement::MixedSpace;

/// The types with what times their collectives.
class Types {
 public:
  explicit Types(std::span<const placement::GpuType> types) : types_(types) {
    for (const placement::GpuType& type : types) forms_.emplace_back(type.fabric);
    for (placement::ClosedForm& form : forms_) models_.push_back(&form);
  }
  [[nodiscard]] placement::MixedContext context(const Question& q) const {
    return {.job = q.job, .types = types_, .communication = models_, .order = q.order};
  }

 private:
  std::span<const placement::GpuType> types_;
  std::vector<placement::ClosedForm> forms_;
  std::vector<placement::CommunicationModel*> models_;
};

void refuse(const PlaceFlags& flags) {
  const auto no = [](bool given, const char* flag, const char* hint) {
    if (given) throw InputError("", flag, "is for GPUs of one type; these are of several", hint);
  };
  no(!flags.megatron.empty(), "--from-megatron", "--fix");
  no(flags.mapping, "--mapping", "leave it out: ranks follow the order of the nodes of their type");
  no(flags.verify.value_or(0) > 0, "--verify", "leave it out: times are by formula");
  no(flags.timeline, "--timeline", "leave it out");
  no(!flags.output.trace.empty(), "--trace", "leave it out");
  no(!flags.gemm_table.empty(), "--gemm-table", "leave it out");
  no(flags.offload, "--offload", "leave it out");
  const std::string& objective = flags.objective.objective;
  no(!objective.empty() && objective != "time", "--objective", "leave it out: the least time");
}

/// As a strategy on GPUs of one type, for what is said of those.
placement::Scored plain(const MixedScored& m) {
  return {.strategy = m.mixed.strategy, .step = m.step, .memory = m.memory, .fits = m.fits};
}

StrategyRow row_of(const placement::MixedContext& c, const MixedScored& m) {
  const placement::Scored scored = plain(m);
  return {.scored = scored,
          .tokens_per_s = scored.tokens_per_s(c.job),
          .tflops_per_gpu = placement::flops_per_gpu(c.job, scored) / 1e12,
          .mfu = placement::mfu(c, m),
          .bound_by = placement::bound_by(c.of(c.job, m.fullest), scored),
          .text = placement::to_text(m.mixed)};
}

/// The best of each type by itself, and of all as if they were equal.
std::vector<Instead> others(const PlaceFlags& flags, const Question& q,
                            const placement::MixedContext& c, const MixedScored& best) {
  std::vector<Instead> ways{{"(the best)", placement::to_text(best.mixed),
                             best.mixed.strategy.gpus(), best.step.total.seconds()}};
  const MixedSpace even{
      .top = 1, .overlap = !flags.no_overlap, .uneven_layers = false, .uneven_batches = false};
  const MixedResult equal = placement::search_mixed(c, even);
  if (!equal.best.empty()) {
    const MixedScored& m = equal.best.front();
    ways.push_back({"even layers and micro-batches", placement::to_text(m.mixed),
                    m.mixed.strategy.gpus(), m.step.total.seconds()});
  }
  for (std::size_t t = 0; t < c.types.size(); ++t) {
    const placement::CostContext alone = c.of(q.job, static_cast<int>(t));
    const placement::SearchResult found = placement::search(
        alone, {.gpus = c.types[t].gpus(), .top = 1, .overlap = !flags.no_overlap});
    if (found.best.empty()) continue;
    const placement::Scored& s = found.best.front();
    ways.push_back({fmt::format("{} alone", placement::type_name(static_cast<int>(t))),
                    placement::to_text(s.strategy), s.strategy.gpus(), s.step.total.seconds()});
  }
  return ways;
}

MixedResult searched(const PlaceFlags& flags, const placement::MixedContext& c, Context& context) {
  const Interruptible guard(flags.interruptible);
  MixedSpace space{
      .top = flags.top, .overlap = !flags.no_overlap, .keep_going = watch(context, "searching")};
  if (!flags.fix.empty())
    space.fix = placement::parse_mixed(flags.fix, static_cast<int>(c.types.size()), "--fix");
  MixedResult result = placement::search_mixed(c, space);
  wipe(context);
  if (result.best.empty() && result.nearest) {
    print_note(context, "nothing fits; the nearest:");
    result.best.push_back(*result.nearest);
  }
  if (result.best.empty())
    throw InputError("", flags.fix.empty() ? "--job" : "--fix",
                     fmt::format("no pipelines over these GPUs divide {}", c.job.name),
                     "other tp and cp, fewer stages than layers, a replica's micro-batches");
  return result;
}

/// By time of a sequence, the batch that is best, where several may be taken.
MixedResult best_batch(const PlaceFlags& flags, Question& q, const Types& types, Context& context) {
  MixedResult best;
  int batch = 0;
  for (const int one : batches_of(flags, q.job)) {
    q.job.batch = one;
    MixedResult result = searched(flags, types.context(q), context);
    const auto each = [](const MixedResult& r, int sequences) {
      return r.best.front().step.total.seconds() / sequences;
    };
    if (batch == 0 || each(result, one) < each(best, batch)) {
      best = std::move(result);
      batch = one;
    }
  }
  q.job.batch = batch;
  return best;
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

}  // namespace

bool is_mixed(const PlaceFlags& flags, const Question& q) {
  return q.types.size() > 1 || placement::is_mixed_text(flags.fix);
}

int run_mixed(const PlaceFlags& flags, Question& q, Provenance& provenance, Context& context) {
  refuse(flags);
  const Types types(q.types);
  const MixedResult result = best_batch(flags, q, types, context);
  const placement::MixedContext c = types.context(q);
  const MixedScored& best = result.best.front();
  note_types(c, best, provenance, context);
  std::vector<StrategyRow> rows;
  for (const MixedScored& one : result.best) rows.push_back(row_of(c, one));
  ResultDocument document{.kind = "strategies",
                          .provenance = provenance,
                          .rows = tabulate_strategies(rows),
                          .sections = {{"memory", tabulate_memory(rows), flags.wide}}};
  if (!flags.wide) document.summary = summarise_strategies(rows);
  document.sections.push_back({"stages", tabulate_stages(c, best)});
  if (flags.fix.empty())
    document.sections.push_back({"instead", tabulate_instead(others(flags, q, c, best))});
  const bool prints = std::ranges::any_of(flags.emit, is_launch_format);
  if (!prints || !flags.output.json.empty() || !flags.output.csv.empty())
    write_result(document, flags.output, context, prints ? Table::no : Table::yes);
  print_note(context, fmt::format("the best, for --fix: {}", rows.front().text));
  if (result.best.size() > 1)
    print_note(context, fmt::format("the second takes longer: {}",
                                    placement::why_slower(plain(best), plain(result.best[1]))));
  const placement::Mapping mapping = placement::mixed_mapping(best.mixed, q.types);
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
