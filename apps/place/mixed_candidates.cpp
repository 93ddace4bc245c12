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

using placement::Scored;
using placement::SearchResult;
using placement::SearchSpace;
using placement::Verified;

/// Where a limit of days left nothing: how long the fastest takes.
[[noreturn]] void too_long(SearchSpace space, const placement::CostContext& c,
                           placement::Goal goal) {
  space.longest = 0;
  space.value = {};
  space.least = {};
  space.counts.clear();
  space.top = 1;
  const SearchResult fastest = placement::search(c, space);
  throw InputError(
      "", "--max-days",
      fastest.best.empty()
          ? "nothing fits"
          : fmt::format(
                "the fastest takes {:.1f} days",
                placement::outlook(c.job, fastest.best.front(), goal.tokens, goal.rates).days),
      "more GPUs, or more days");
}

SearchResult searched(const PlaceFlags& flags, const placement::CostContext& c,
                      const placement::Goal& goal, Context& context) {
  SearchSpace space{.top = std::max(flags.top, runs_wanted(flags) * kKeptPerRun),
                    .overlap = !flags.no_overlap,
                    .keep_going = watch(context, "searching")};
  if (!flags.fix.empty())
    space.fix = given_strategy(flags);
  else
    placement::aim(space, c, goal);
  SearchResult result = placement::search(c, space);
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
SearchResult best_batch(const PlaceFlags& flags, Question& q, Context& context) {
  SearchResult best;
  int batch = 0;
  double least = 0;
  for (const int one : batches_of(flags, q.job)) {
    q.job.batch = one;
    const placement::CostContext c = q.context();
    const placement::Goal goal = goal_of(flags, q);
    SearchResult result = searched(flags, c, goal, context);
    const Scored& first = result.best.front();
    const double value = goal.objective == placement::Objective::time
                             ? first.step.total.seconds() / one
                             : value_in(goal, c.job, first);
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
std::vector<Scored> splits_first(std::vector<Scored> best, std::size_t count) {
  std::set<std::string> seen;
  std::vector<Scored> front, rest;
  for (Scored& one : best) {
    const placement::Strategy& s = one.strategy;
    const placement::Strategy split{
        .tp = s.tp, .pp = s.pp, .dp = s.dp, .cp = s.cp, .ep = s.ep, .classes = s.classes};
    const bool is_new = front.size() < count && seen.insert(to_text(split)).second;
    (is_new ? front : rest).push_back(std::move(one));
  }
  front.insert(front.end(), std::make_move_iterator(rest.begin()),
               std::make_move_iterator(rest.end()));
  return front;
}

/// By the objective, with steps as simulated; what was not simulated stays behind.
void order_by(const placement::Goal& goal, const placement::CostContext& c,
              std::vector<Verified>& found) {
  if (goal.objective == placement::Objective::time) return;
  const auto value = [&](const Verified& one) {
    Scored scored = one.scored;
    if (one.simulated) scored.step = *one.simulated;
    return std::pair(!one.simulated, value_in(goal, c.job, scored));
  };
  std::ranges::stable_sort(found, {}, value);
}

}  // namespace

placement::Goal goal_of(const PlaceFlags& flags, const Question& q) {
  placement::Goal goal{.objective = objective_of(flags.objective),
                       .tokens = tokens_of(flags.objective, q.job),
                       .most_days = flags.objective.max_days};
  for (std::size_t t = 0; t < q.types.size(); ++t)
    goal.rates.push_back(rates_of(flags.objective, q.types[t].gpu, t, q.types.size()));
  return goal;
}

double value_in(const placement::Goal& goal, const placement::Job& job, const Scored& scored) {
  return placement::value_of(goal.objective, scored,
                             placement::outlook(job, scored, goal.tokens, goal.rates));
}

placement::FixedStrategy given_strategy(const PlaceFlags& flags) {
  placement::FixedStrategy fix;
  fix.given = placement::parse_strategy(flags.fix, "--fix", fix.strategy);
  return fix;
}

int runs_wanted(const PlaceFlags& flags) {
  return flags.verify.value_or(flags.is_fixed() ? 0 : kVerified);
}

std::vector<Verified> mixed_candidates(const PlaceFlags& flags, Question& q,
                                       const MixedMappings& mappings, Provenance& provenance,
                                       Context& context) {
  const Interruptible guard(flags.interruptible);
  const auto wanted = static_cast<std::size_t>(runs_wanted(flags));
  std::vector<Scored> best = best_batch(flags, q, context).best;
  if (wanted > 0) best = splits_first(std::move(best), wanted);
  std::vector<Verified> found;
  const std::size_t runs = std::min(best.size(), wanted);
  if (runs > 0 && best.front().fits && !was_interrupted()) {
    const PlaceEngine engine(flags, q);
    const placement::CostContext c = q.context();
    found = placement::verify_search({.context = c,
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

std::vector<Verified> run_each(const PlaceFlags& flags, const Question& q,
                               const MixedMappings& mappings, std::span<const Scored> strategies) {
  const PlaceEngine engine(flags, q);
  const placement::CostContext c = q.context();
  std::vector<Verified> found;
  for (const Scored& one : strategies)
    found.push_back(
        placement::verify_search({.context = c, .engine = engine.engine(), .mappings = mappings},
                                 std::span(&one, 1))
            .front());
  return found;
}

}  // namespace railyard::apps
