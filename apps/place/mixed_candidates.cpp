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

SearchResult searched(const PlaceRequest& request, const placement::CostContext& c,
                      const placement::Goal& goal, Context& context) {
  SearchSpace space = request.space;
  space.top = std::max(request.top, runs_wanted(request) * kKeptPerRun);
  space.keep_going = watch(context, "searching");
  if (!request.given.fix.empty())
    space.fix = given_strategy(request.given.fix);
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
    throw InputError("", request.given.fix.empty() ? "--job" : "--fix",
                     fmt::format("no pipelines over these GPUs divide {}", c.job.name),
                     "other tp and cp, fewer stages than layers, a replica's micro-batches");
  return result;
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

placement::GivenStrategy given_strategy(const std::string& fix) {
  placement::GivenStrategy strategy;
  strategy.given = placement::parse_strategy(fix, "--fix", strategy.strategy);
  return strategy;
}

double value_in(const placement::Goal& goal, const placement::Job& job, const Scored& scored) {
  return placement::value_of(goal.objective, scored,
                             placement::outlook(job, scored, goal.tokens, goal.rates));
}

BatchSearch search_batches(const PlaceRequest& request, const placement::PlaceProblem& problem,
                           Context& context) {
  std::optional<BatchSearch> best;
  double least = 0;
  for (const int batch : batches_of(request, problem.job)) {
    placement::PlaceProblem variant = with_batch(problem, batch);
    const placement::CostContext c = variant.context();
    const placement::Goal goal = goal_of(request.objective, variant);
    SearchResult result = searched(request, c, goal, context);
    const Scored& first = result.best.front();
    const double value = goal.objective == placement::Objective::time
                             ? first.step.total.seconds() / batch
                             : value_in(goal, c.job, first);
    if (best && value >= least) continue;
    best = BatchSearch{.problem = std::move(variant), .best = std::move(result.best)};
    least = value;
  }
  return *std::move(best);
}

int runs_wanted(const PlaceRequest& request) {
  return request.verify.value_or(!request.given.empty() ? 0 : kVerified);
}

std::vector<Verified> mixed_candidates(const PlaceRequest& request,
                                       const placement::PlaceProblem& q,
                                       const MixedMappings& mappings, std::vector<Scored> best,
                                       Provenance& provenance, Context& context) {
  const auto wanted = static_cast<std::size_t>(runs_wanted(request));
  if (wanted > 0) best = splits_first(std::move(best), wanted);
  std::vector<Verified> found;
  const std::size_t runs = std::min(best.size(), wanted);
  if (runs > 0 && best.front().fits && !was_interrupted()) {
    const auto engine = engines_of(request.fidelity)(q);
    const placement::CostContext c = q.context();
    found = placement::verify_search({.context = c,
                                      .engine = *engine,
                                      .mappings = mappings,
                                      .keep_going = watch(context, "simulating"),
                                      .runs = candidate_request(request, {}).runs},
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

std::vector<Verified> run_each(const PlaceRequest& request, const placement::PlaceProblem& q,
                               const MixedMappings& mappings, std::span<const Scored> strategies) {
  const auto engine = engines_of(request.fidelity)(q);
  const placement::CostContext c = q.context();
  std::vector<Verified> found;
  for (const Scored& one : strategies)
    found.push_back(placement::verify_search(
                        {.context = c, .engine = *engine, .mappings = mappings}, std::span(&one, 1))
                        .front());
  return found;
}

}  // namespace railyard::apps
