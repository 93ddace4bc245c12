#include "apps/place/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "apps/place/interruptible.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/search_space.hpp"
#include "core/diagnostic.hpp"
#include "placement/strategy/idle_settings.hpp"

namespace railyard::apps {
namespace {

using placement::PlaceProblem;
using placement::Scored;
using placement::Verified;

/// The best strategy on a number of GPUs.
placement::SearchResult best_on(const placement::SearchSpace& space, const PlaceProblem& problem,
                                int gpus) {
  placement::SearchSpace one = on_gpus(space, gpus, 1);
  one.keep_going = [](double) { return !was_interrupted(); };
  return placement::search(problem.context(), one);
}

/// The most GPUs below those asked for over which a strategy divides the job.
int nearest_gpus(const placement::SearchSpace& space, const PlaceProblem& problem) {
  const auto divides = [&](int gpus) {
    placement::SearchSpace one = on_gpus(space, gpus, 1);
    one.keep_going = [](double) { return false; };  // the first few thousand are enough
    return placement::search(problem.context(), one).strategies > 0;
  };
  int gpus = problem.gpus - 1;
  while (gpus > 1 && !divides(gpus)) --gpus;
  return std::max(1, gpus);
}

/// Where nothing fits: whether offloading helps, or on how many such GPUs a strategy fits.
std::string what_would_fit(const placement::SearchSpace& space, const PlaceProblem& problem) {
  placement::SearchSpace offloading = space;
  offloading.offload = true;
  const bool may_offload = !space.offload && problem.gpu.compute().host_bandwidth > Bandwidth();
  if (may_offload)
    if (const auto found = best_on(offloading, problem, problem.gpus); !found.best.empty())
      return fmt::format("with --offload {} fits: {:.1f} s", to_text(found.best.front().strategy),
                         found.best.front().step.total.seconds());
  constexpr int kMostTimes = 64;
  for (int gpus = 2 * problem.gpus; gpus <= kMostTimes * problem.gpus; gpus *= 2)
    if (const auto found = best_on(space, problem, gpus); !found.best.empty())
      return fmt::format("on {} such GPUs {} fits", gpus, to_text(found.best.front().strategy));
  return fmt::format("nothing fits on {} times as many such GPUs either", kMostTimes);
}

std::vector<Scored> searched(const CandidateRequest& request, const PlaceProblem& problem, int keep,
                             Provenance& provenance, Context& context) {
  placement::SearchSpace space = on_gpus(request.space, problem.gpus, std::max(request.top, keep));
  space.keep_going = watch(context, "searching");
  const placement::SearchResult result = placement::search(problem.context(), space);
  wipe(context);
  note(provenance, context,
       fmt::format("{} strategies: {} costed, {} do not fit, {} ruled out by a lower bound on "
                   "their time{}",
                   result.strategies, result.evaluated, result.too_large, result.too_slow,
                   result.stopped ? "; stopped before the end" : ""));
  if (!result.best.empty()) return result.best;
  if (!result.nearest) {
    if (result.stopped)
      throw InputError("", "", "stopped before any strategy was found", "let it search for longer");
    throw InputError(
        "", "--job",
        fmt::format("no strategy divides {} over {} GPUs", problem.job.name, problem.gpus),
        fmt::format(
            "--gpus {}, or --batch {}", nearest_gpus(request.space, problem),
            std::max(1, (problem.job.batch + problem.gpus / 2) / problem.gpus) * problem.gpus));
  }
  note(provenance, context,
       result.stopped ? "nothing that fits was found yet; the nearest:"
                      : "nothing fits; the nearest:");
  if (!result.stopped) note(provenance, context, what_would_fit(request.space, problem));
  return {*result.nearest};
}

/// The best of every split of the GPUs in front, up to `count` of them, then the others in their
/// order: strategies that are simulated should differ in more than their overlaps.
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

/// A note where a table of measured products has none of the best strategy's.
void note_table(const std::string& table, const PlaceProblem& problem, const Scored& best,
                Provenance& provenance, Context& context) {
  if (table.empty()) return;
  PlaceProblem by_formula = problem;
  by_formula.gpu.measured = {};
  const auto compute = [&](const PlaceProblem& p) {
    return placement::score(p.context(), best.strategy).step.compute;
  };
  if (compute(by_formula) == compute(problem))
    note(
        provenance, context,
        fmt::format("{} has none of the products of the best strategy: all are by formula", table));
}

/// Whether links are slower than formulas assume.
bool is_disturbed(const PlaceProblem& problem) {
  return !problem.faults.empty() ||
         std::ranges::any_of(problem.occupancy.jobs, [](const placement::Tenant& t) {
           return t.rate.bits_per_second() > 0;
         });
}

std::vector<Verified> verified(const CandidateRequest& request, const PlaceProblem& problem,
                               const placement::Mapper& mapper, std::span<const Scored> best,
                               Provenance& provenance, Context& context) {
  const auto engine = request.engines(problem);
  const placement::CostContext cost = problem.context();
  auto found = placement::verify_search(
      {.context = cost,
       .engine = *engine,
       .mappings = [&](const placement::Strategy& s) { return mapper.mappings(s); },
       .keep_going = watch(context, "simulating"),
       .runs = request.runs},
      best);
  wipe(context);
  note_runs(summary_of(found), *engine, problem, provenance, context);
  return found;
}

}  // namespace

std::vector<Verified> candidates_of(const CandidateRequest& request, const PlaceProblem& problem,
                                    const placement::Mapper& mapper, Provenance& provenance,
                                    Context& context, const Scored* so_far) {
  const Interruptible guard(request.interruptible);
  const auto wanted = static_cast<std::size_t>(request.verify);
  std::vector<Scored> best;
  if (request.fixed) {
    best = {placement::score(problem.context(), *request.fixed)};
    for (std::string& text : placement::idle_settings(problem.job, *request.fixed))
      note(provenance, context, std::move(text));
  } else if (so_far != nullptr && was_interrupted()) {
    best = {*so_far};
  } else {
    best = searched(request, problem, request.verify * kKeptPerRun, provenance, context);
    if (wanted > 0) best = splits_first(std::move(best), wanted);
  }
  note_table(request.gemm_table, problem, best.front(), provenance, context);
  if (wanted == 0 && is_disturbed(problem))
    print_note(context,
               "nothing is simulated: broken links and the traffic of other jobs do not change "
               "these times (simulate with --verify 1)");
  std::vector<Verified> found;
  const std::size_t runs = std::min(best.size(), wanted);
  if (runs > 0 && best.front().fits && !was_interrupted())
    found = verified(request, problem, mapper, std::span(best).first(runs), provenance, context);
  for (std::size_t i = found.size(); i < best.size(); ++i) found.push_back({.scored = best[i]});
  if (found.size() > static_cast<std::size_t>(request.top))
    found.resize(static_cast<std::size_t>(request.top));
  return found;
}

}  // namespace railyard::apps
