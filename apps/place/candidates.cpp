#include "apps/place/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "apps/place/interruptible.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/step_sections.hpp"
#include "core/diagnostic.hpp"
#include "placement/search.hpp"

namespace railyard::apps {
namespace {

using placement::Scored;
using placement::Verified;

std::vector<Scored> searched(const PlaceFlags& flags, Question& q, int keep, Provenance& provenance,
                             Context& context) {
  const placement::SearchSpace space{.gpus = q.gpus,
                                     .top = std::max(flags.top, keep),
                                     .overlap = !flags.no_overlap,
                                     .offload = flags.offload,
                                     .keep_going = watch(context, "searching")};
  const placement::SearchResult result = placement::search(q.context(), space);
  wipe(context);
  note(provenance, context,
       fmt::format("{} strategies: {} costed, {} do not fit, {} slower than the best by their "
                   "bound{}",
                   result.strategies, result.evaluated, result.too_large, result.too_slow,
                   result.stopped ? "; stopped before the end" : ""));
  if (!result.best.empty()) return result.best;
  if (!result.nearest)
    throw InputError("", "--job",
                     fmt::format("no strategy divides {} over {} GPUs", q.job.name, q.gpus),
                     "another number of GPUs, or another --batch");
  print_note(context, "nothing fits; the nearest:");
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
                                    Provenance& provenance, Context& context) {
  const Interruptible guard(flags.interruptible);
  const int wanted = flags.verify.value_or(flags.is_fixed() ? 0 : kVerified);
  std::vector<Scored> best;
  if (flags.is_fixed()) {
    const std::size_t before = provenance.notes.size();
    const placement::Strategy s = fixed_strategy(flags, q, provenance);
    for (std::size_t i = before; i < provenance.notes.size(); ++i)
      print_note(context, provenance.notes[i]);
    best = {placement::score(q.context(), s)};
  } else {
    best = searched(flags, q, wanted * kKeptPerRun, provenance, context);
    if (wanted > 0) best = splits_first(std::move(best), static_cast<std::size_t>(wanted));
  }
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
