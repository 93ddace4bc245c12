#include "apps/place/mixed_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "apps/place/interruptible.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/plan_choice.hpp"
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

MixedResult searched(const PlaceRequest& request, const placement::MixedContext& c,
                     const placement::MixedGoal& goal, Context& context) {
  MixedSpace space{.top = std::max(request.top, runs_wanted(request) * kKeptPerRun),
                   .overlap = request.space.overlap,
                   .keep_going = watch(context, "searching")};
  if (!request.given.fix.empty())
    space.fix =
        placement::parse_mixed(request.given.fix, static_cast<int>(c.types.size()), "--fix");
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
    throw InputError("", request.given.fix.empty() ? "--job" : "--fix",
                     fmt::format("no pipelines over these GPUs divide {}", c.job.name),
                     "other tp and cp, fewer stages than layers, a replica's micro-batches");
  return result;
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

MixedSearch search_batches(const PlaceRequest& request, const placement::PlaceProblem& problem,
                           Context& context) {
  std::optional<MixedSearch> best;
  double least = 0;
  for (const int batch : batches_of(request, problem.job)) {
    placement::PlaceProblem variant = with_batch(problem, batch);
    const TypeForms forms(variant.types);
    const placement::MixedContext c = forms.context(variant);
    const placement::MixedGoal goal = goal_of(request.objective, variant);
    MixedResult result = searched(request, c, goal, context);
    const MixedScored& first = result.best.front();
    const double value = goal.objective == placement::Objective::time
                             ? first.step.total.seconds() / batch
                             : mixed_value(first, mixed_outlook(c, first, goal), goal.objective);
    if (best && value >= least) continue;
    best = MixedSearch{.problem = std::move(variant), .best = std::move(result.best)};
    least = value;
  }
  return *std::move(best);
}

int runs_wanted(const PlaceRequest& request) {
  return request.verify.value_or(!request.given.empty() ? 0 : kVerified);
}

std::vector<MixedVerified> mixed_candidates(const PlaceRequest& request,
                                            const placement::PlaceProblem& q,
                                            const TypeForms& forms, const MixedMappings& mappings,
                                            std::vector<MixedScored> best, Provenance& provenance,
                                            Context& context) {
  const auto wanted = static_cast<std::size_t>(runs_wanted(request));
  if (wanted > 0) best = splits_first(std::move(best), wanted);
  std::vector<MixedVerified> found;
  const std::size_t runs = std::min(best.size(), wanted);
  if (runs > 0 && best.front().fits && !was_interrupted()) {
    const auto engine = engines_of(request.fidelity)(q);
    const placement::MixedContext c = forms.context(q);
    found = placement::verify_mixed({.context = c,
                                     .engine = *engine,
                                     .mappings = mappings,
                                     .keep_going = watch(context, "simulating")},
                                    std::span(best).first(runs));
    wipe(context);
    order_by(goal_of(request.objective, q), c, found);
    note_runs(summary_of(found), *engine, q, provenance, context);
  }
  for (std::size_t i = found.size(); i < best.size(); ++i) found.push_back({.scored = best[i]});
  if (found.size() > static_cast<std::size_t>(request.top))
    found.resize(static_cast<std::size_t>(request.top));
  return found;
}

std::vector<MixedVerified> run_each(const PlaceRequest& request, const placement::PlaceProblem& q,
                                    const TypeForms& forms, const MixedMappings& mappings,
                                    std::span<const MixedScored> strategies) {
  const auto engine = engines_of(request.fidelity)(q);
  const placement::MixedContext c = forms.context(q);
  std::vector<MixedVerified> found;
  for (const MixedScored& one : strategies)
    found.push_back(placement::verify_mixed({.context = c, .engine = *engine, .mappings = mappings},
                                            std::span(&one, 1))
                        .front());
  return found;
}

}  // namespace railyard::apps
