#include "apps/place/mixed_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "apps/place/interruptible.hpp"
#include "apps/place/outlooks.hpp"
#include "apps/place/place_engine.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using placement::MixedResult;
using placement::MixedScored;
using placement::MixedSpace;
using placement::MixedVerified;

/// Where a limit of days left nothing: how long the fastest takes.
[[noreturn]] void too_long(MixedSpace space, const placement::MixedContext& c,
                           placement::MixedGoal goal) {
  space.longest = 0;
  space.value = {};
  space.least = {};
  space.counts.clear();
  space.top = 1;
  const MixedResult fastest = placement::search_mixed(c, space);
  throw InputError("", "--max-days",
                   fastest.best.empty()
                       ? "nothing fits"
                       : fmt::format("the fastest takes {:.1f} days",
                                     mixed_outlook(c, fastest.best.front(), goal).days),
                   "more GPUs, or more days");
}

MixedResult searched(const PlaceFlags& flags, const placement::MixedContext& c,
                     const placement::MixedGoal& goal, Context& context) {
  MixedSpace space{.top = std::max(flags.top, runs_wanted(flags) * kKeptPerRun),
                   .overlap = !flags.no_overlap,
                   .keep_going = watch(context, "searching")};
  if (!flags.fix.empty())
    space.fix = placement::parse_mixed(flags.fix, static_cast<int>(c.types.size()), "--fix");
  else
    placement::aim(space, c, goal);
  MixedResult result = placement::search_mixed(c, space);
  wipe(context);
  if (result.best.empty() && space.longest > 0 && !result.stopped) too_long(space, c, goal);
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

/// The batch that is best where several may be taken: by the objective, by time that of a sequence.
MixedResult best_batch(const PlaceFlags& flags, Question& q, const TypeForms& forms,
                       Context& context) {
  MixedResult best;
  int batch = 0;
  double least = 0;
  for (const int one : batches_of(flags, q.job)) {
    q.job.batch = one;
    const placement::MixedContext c = forms.context(q);
    const placement::MixedGoal goal = goal_of(flags, q);
    MixedResult result = searched(flags, c, goal, context);
    const MixedScored& first = result.best.front();
    const double value = goal.objective == placement::Objective::time
                             ? first.step.total.seconds() / one
                             : mixed_value(first, mixed_outlook(c, first, goal), goal.objective);
    if (batch != 0 && value >= least) continue;
    best = std::move(result);
    batch = one;
    least = value;
  }
  q.job.batch = batch;
  return best;
}

/// The best of every split and every way of stages over types in front, up to `count`, then the
/// others as they were.
std::vector<MixedScored> splits_first(std::vector<MixedScored> best, std::size_t count) {
  std::set<std::string> seen;
  std::vector<MixedScored> front, rest;
  for (MixedScored& one : best) {
    const placement::Strategy& s = one.mixed.strategy;
    const placement::MixedStrategy split{
        .strategy = {.tp = s.tp, .pp = s.pp, .dp = s.dp, .cp = s.cp, .ep = s.ep},
        .classes = one.mixed.classes};
    const bool is_new = front.size() < count && seen.insert(to_text(split)).second;
    (is_new ? front : rest).push_back(std::move(one));
  }
  front.insert(front.end(), std::make_move_iterator(rest.begin()),
               std::make_move_iterator(rest.end()));
  return front;
}

/// By the objective, with steps as simulated; what was not simulated stays behind.
void order_by(const placement::MixedGoal& goal, const placement::MixedContext& c,
              std::vector<MixedVerified>& found) {
  if (goal.objective == placement::Objective::time) return;
  const auto value = [&](const MixedVerified& one) {
    MixedScored scored = one.scored;
    if (one.simulated) scored.step = *one.simulated;
    return std::pair(!one.simulated,
                     mixed_value(scored, mixed_outlook(c, scored, goal), goal.objective));
  };
  std::ranges::stable_sort(found, {}, value);
}

}  // namespace

placement::MixedGoal goal_of(const PlaceFlags& flags, const Question& q) {
  placement::MixedGoal goal{.objective = objective_of(flags.objective),
                            .tokens = tokens_of(flags.objective, q.job),
                            .most_days = flags.objective.max_days};
  for (std::size_t t = 0; t < q.types.size(); ++t)
    goal.rates.push_back(rates_of(flags.objective, q.types[t].gpu, t, q.types.size()));
  return goal;
}

int runs_wanted(const PlaceFlags& flags) {
  return flags.verify.value_or(flags.is_fixed() ? 0 : kVerified);
}

std::vector<MixedVerified> mixed_candidates(const PlaceFlags& flags, Question& q,
                                            const TypeForms& forms, const MixedMappings& mappings,
                                            Provenance& provenance, Context& context) {
  const Interruptible guard(flags.interruptible);
  const auto wanted = static_cast<std::size_t>(runs_wanted(flags));
  std::vector<MixedScored> best = best_batch(flags, q, forms, context).best;
  if (wanted > 0) best = splits_first(std::move(best), wanted);
  std::vector<MixedVerified> found;
  const std::size_t runs = std::min(best.size(), wanted);
  if (runs > 0 && best.front().fits && !was_interrupted()) {
    const PlaceEngine engine(flags, q);
    const placement::MixedContext c = forms.context(q);
    found = placement::verify_mixed({.context = c,
                                     .engine = engine.engine(),
                                     .mappings = mappings,
                                     .keep_going = watch(context, "simulating")},
                                    std::span(best).first(runs));
    wipe(context);
    order_by(goal_of(flags, q), c, found);
    note_runs(summary_of(found), engine, provenance, context);
  }
  for (std::size_t i = found.size(); i < best.size(); ++i) found.push_back({.scored = best[i]});
  if (found.size() > static_cast<std::size_t>(flags.top))
    found.resize(static_cast<std::size_t>(flags.top));
  return found;
}

std::vector<MixedVerified> run_each(const PlaceFlags& flags, const Question& q,
                                    const TypeForms& forms, const MixedMappings& mappings,
                                    std::span<const MixedScored> strategies) {
  const PlaceEngine engine(flags, q);
  const placement::MixedContext c = forms.context(q);
  std::vector<MixedVerified> found;
  for (const MixedScored& one : strategies)
    found.push_back(
        placement::verify_mixed({.context = c, .engine = engine.engine(), .mappings = mappings},
                                std::span(&one, 1))
            .front());
  return found;
}

}  // namespace railyard::apps
