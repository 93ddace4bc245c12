#include "apps/place/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "apps/place/interruptible.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/search_space.hpp"
#include "apps/place/step_sections.hpp"
#include "core/diagnostic.hpp"
#include "placement/strategy/idle_settings.hpp"

namespace railyard::apps {
namespace {

using placement::Scored;
using placement::Verified;

/// What a search on other GPUs or with other flags finds, fast: one strategy.
placement::SearchResult best_with(const PlaceFlags& flags, Question& q, int gpus) {
  placement::SearchSpace space = search_space(flags, gpus, 1);
  space.keep_going = [](double) { return !was_interrupted(); };
  return placement::search(q.context(), space);
}

/// The most GPUs below those asked for over which a strategy divides the job.
int nearest_gpus(const PlaceFlags& flags, Question& q) {
  const auto divides = [&](int gpus) {
    placement::SearchSpace space = search_space(flags, gpus, 1);
    space.keep_going = [](double) { return false; };  // the first few thousand will do
    return placement::search(q.context(), space).strategies > 0;
  };
  int gpus = q.gpus - 1;
  while (gpus > 1 && !divides(gpus)) --gpus;
  return std::max(1, gpus);
}

/// Where nothing fits: on how many such GPUs something would, or whether offloading helps.
std::string what_helps(const PlaceFlags& flags, Question& q) {
  PlaceFlags offloading = flags;
  offloading.offload = true;
  const bool may_offload = !flags.offload && q.gpu.compute().host_bandwidth > Bandwidth();
  if (may_offload)
    if (const auto found = best_with(offloading, q, q.gpus); !found.best.empty())
      return fmt::format("with --offload {} fits: {:.1f} s", to_text(found.best.front().strategy),
                         found.best.front().step.total.seconds());
  // A factor of 64 and more is no advice.
  for (int gpus = 2 * q.gpus; gpus <= 64 * q.gpus; gpus *= 2)
    if (const auto found = best_with(flags, q, gpus); !found.best.empty())
      return fmt::format("on {} such GPUs {} fits", gpus, to_text(found.best.front().strategy));
  return "nor would it on 64 times as many such GPUs";
}

std::vector<Scored> searched(const PlaceFlags& flags, Question& q, int keep, Provenance& provenance,
                             Context& context) {
  placement::SearchSpace space = search_space(flags, q.gpus, std::max(flags.top, keep));
  space.keep_going = watch(context, "searching");
  const placement::SearchResult result = placement::search(q.context(), space);
  wipe(context);
  note(provenance, context,
       fmt::format("{} strategies: {} costed, {} do not fit, {} slower than the best by their "
                   "bound{}",
                   result.strategies, result.evaluated, result.too_large, result.too_slow,
                   result.stopped ? "; stopped before the end" : ""));
  if (!result.best.empty()) return result.best;
  if (!result.nearest) {
    if (result.stopped)
      throw InputError("", "", "stopped before any strategy was found", "let it search for longer");
    throw InputError("", "--job",
                     fmt::format("no strategy divides {} over {} GPUs", q.job.name, q.gpus),
                     fmt::format("--gpus {}, or --batch {}", nearest_gpus(flags, q),
                                 std::max(1, (q.job.batch + q.gpus / 2) / q.gpus) * q.gpus));
  }
  note(provenance, context,
       result.stopped ? "nothing that fits was found yet; the nearest:"
                      : "nothing fits; the nearest:");
  if (!result.stopped) note(provenance, context, what_helps(flags, q));
  return {*result.nearest};
}

/// The best of every split of the GPUs in front, up to `count` of them, then the others as they
/// were: what is simulated shall differ in more than what it hides.
std::vector<Scored> splits_first(std::vector<Scored> best, std::size_t count) {
  std::set<std::array<int, 5>> seen;
  std::vector<Scored> front, rest;
  for (Scored& one : best) {
    const placement::Strategy& s = one.strategy;
    const bool is_new = front.size() < count && seen.insert({s.tp, s.pp, s.dp, s.cp, s.ep}).second;
    (is_new ? front : rest).push_back(std::move(one));
  }
  front.insert(front.end(), std::make_move_iterator(rest.begin()),
               std::make_move_iterator(rest.end()));
  return front;
}

/// Whether a table of measured products has any of the best strategy's.
void note_table(const PlaceFlags& flags, Question& q, const Scored& best, Provenance& provenance,
                Context& context) {
  if (flags.gemm_table.empty()) return;
  placement::Processor formula = q.gpu;
  formula.measured = {};
  const placement::TypeContext measured = q.context().on(0);
  const placement::TypeContext plain{.job = q.job,
                                     .gpu = formula,
                                     .communication = measured.communication,
                                     .gpus_per_node = measured.gpus_per_node,
                                     .order = measured.order};
  const auto blocks = [&](const placement::CostContext& c) {
    return placement::score(c, best.strategy).step.compute;
  };
  if (blocks(plain) == blocks(measured))
    note(provenance, context,
         fmt::format("{} has none of the products of the best strategy: all are by formula",
                     flags.gemm_table));
}

/// Something slows links that formulas do not know of.
bool is_disturbed(const PlaceFlags& flags, const Question& q) {
  return !flags.fabric.failures.empty() || !flags.fabric.degradations.empty() ||
         std::ranges::any_of(q.occupancy.jobs,
                             [](const Tenant& t) { return t.rate.bits_per_second() > 0; });
}

/// Steps that a trace or a report is made from.
std::vector<int> shown_runs(const PlaceFlags& flags) {
  std::vector<int> runs;
  if (!flags.output.trace.empty()) runs.push_back(0);
  if (flags.timeline) runs.push_back(kShownMicroBatches);
  return runs;
}

std::vector<Verified> verified(const PlaceFlags& flags, Question& q, const Mapper& mapper,
                               std::span<const Scored> best, Provenance& provenance,
                               Context& context) {
  const PlaceEngine runs(flags, q);
  const placement::CostContext cost = q.context();
  auto found = placement::verify_search(
      {.context = cost,
       .engine = runs.engine(),
       .mappings = [&](const placement::Strategy& s) { return mapper.mappings(s); },
       .keep_going = watch(context, "simulating"),
       .runs = shown_runs(flags)},
      best);
  wipe(context);
  note_runs(summary_of(found), runs, provenance, context);
  return found;
}

}  // namespace

std::vector<Verified> candidates_of(const PlaceFlags& flags, Question& q, const Mapper& mapper,
                                    Provenance& provenance, Context& context,
                                    const Scored* so_far) {
  const Interruptible guard(flags.interruptible);
  const int wanted = flags.verify.value_or(flags.is_fixed() ? 0 : kVerified);
  std::vector<Scored> best;
  if (flags.is_fixed()) {
    const std::size_t before = provenance.notes.size();
    const placement::Strategy s = fixed_strategy(flags, q, provenance);
    for (std::size_t i = before; i < provenance.notes.size(); ++i)
      print_note(context, provenance.notes[i]);
    best = {placement::score(q.context(), s)};
    for (std::string& text : placement::idle_settings(q.job, s))
      note(provenance, context, std::move(text));
  } else if (so_far != nullptr && was_interrupted()) {
    best = {*so_far};
  } else {
    best = searched(flags, q, wanted * kKeptPerRun, provenance, context);
    if (wanted > 0) best = splits_first(std::move(best), static_cast<std::size_t>(wanted));
  }
  note_table(flags, q, best.front(), provenance, context);
  std::vector<Verified> found;
  if (wanted == 0 && is_disturbed(flags, q))
    print_note(context,
               "nothing is simulated, so that broken links and other jobs' traffic count for no "
               "time of a step: --verify 1");
  const std::size_t runs = std::min(best.size(), static_cast<std::size_t>(wanted));
  if (runs > 0 && best.front().fits && !was_interrupted())
    found = verified(flags, q, mapper, std::span(best).first(runs), provenance, context);
  for (std::size_t i = found.size(); i < best.size(); ++i) found.push_back({.scored = best[i]});
  if (found.size() > static_cast<std::size_t>(flags.top))
    found.resize(static_cast<std::size_t>(flags.top));
  return found;
}

}  // namespace railyard::apps
