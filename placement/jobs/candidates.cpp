#include "placement/jobs/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/diagnostic.hpp"
#include "placement/jobs/bandwidth_left.hpp"
#include "placement/jobs/given_strategy.hpp"
#include "placement/model/batch_notes.hpp"
#include "placement/strategy/idle_settings.hpp"

namespace railyard::placement {
namespace {

/// Strategies that the search keeps per strategy to simulate, so that they include different
/// splits.
constexpr int kKeptPerRun = 10;

SearchSpace on_gpus(SearchSpace space, int gpus, int top) {
  space.gpus = gpus;
  space.top = top;
  return space;
}

/// A note on how much concurrent collectives slow each other; empty if none is slowed.
std::string text_of_contention(std::span<const Slowdown> slowdowns) {
  std::string text;
  for (const Slowdown& slow : slowdowns)
    text += fmt::format("{} {} collectives by {:.2f}x", text.empty() ? "" : ",", slow.dimension,
                        slow.factor);
  return text.empty() ? text : "contention slows" + text + " in the best strategy";
}

/// A note on the link that other jobs use most; empty if they use none that the job may cross.
std::string text_of_others(const PlaceProblem& problem) {
  const auto used = links_used_by_others(problem);
  const auto busiest = busiest_shared_link(problem, used);
  if (!busiest) return {};
  return fmt::format("other jobs use up to {:.0f} % of a link ({}); the simulation uses the rest",
                     100 * (1 - busiest->factor), problem.cluster.name(busiest->link));
}

/// Moves the best strategy of each split of the GPUs to the front, up to `count` of them; the
/// others keep their order. Strategies that are simulated should differ in more than their
/// overlaps. With classes of replicas, each arrangement of classes is a split.
std::vector<ScoredStrategy> splits_first(std::vector<ScoredStrategy> best, std::size_t count) {
  std::set<std::string> seen;
  std::vector<ScoredStrategy> front, rest;
  for (ScoredStrategy& one : best) {
    const Strategy& s = one.strategy;
    const Strategy split{
        .tp = s.tp, .pp = s.pp, .dp = s.dp, .cp = s.cp, .ep = s.ep, .classes = s.classes};
    const bool is_new = front.size() < count && seen.insert(to_text(split)).second;
    (is_new ? front : rest).push_back(std::move(one));
  }
  front.insert(front.end(), std::make_move_iterator(rest.begin()),
               std::make_move_iterator(rest.end()));
  return front;
}

/// Finds the candidates of one request.
class CandidateSearch {
 public:
  CandidateSearch(const CandidateRequest& request, const PlaceProblem& problem,
                  const Mapper& mapper)
      : request_(request), problem_(problem), mapper_(mapper), context_(problem.context()) {}

  std::vector<SimulatedStrategy> run() {
    const auto wanted = static_cast<std::size_t>(request_.verify);
    if (!request_.given)
      for (std::string& text : batch_notes(problem_.job, problem_.gpus()))
        request_.watch.report(std::move(text));
    std::vector<ScoredStrategy> best = by_formula();
    if (wanted > 0) best = splits_first(std::move(best), wanted);
    note_tables(best.front());
    if (wanted == 0 && has_slower_links(problem_) && request_.watch.remark)
      request_.watch.remark(
          "without a simulation (--verify 1), broken links and the traffic of other jobs do not "
          "change these times");
    std::vector<SimulatedStrategy> found;
    const std::size_t runs = std::min(best.size(), wanted);
    if (runs > 0 && best.front().fits && !stopped_) found = simulated(std::span(best).first(runs));
    for (std::size_t i = found.size(); i < best.size(); ++i) found.push_back({.scored = best[i]});
    if (found.size() > static_cast<std::size_t>(request_.top))
      found.resize(static_cast<std::size_t>(request_.top));
    return found;
  }

 private:
  [[nodiscard]] bool is_one_type() const { return context_.types.size() == 1; }

  /// The keep_going callback of one part of the work; it notes that the user stopped.
  [[nodiscard]] std::function<bool(double)> watch(std::string_view what) {
    return [this, what](double done) {
      const auto& keep_going = request_.watch.keep_going;
      if (keep_going && !keep_going(what, done)) stopped_ = true;
      return !stopped_;
    };
  }
  void finished() const {
    if (request_.watch.finished) request_.watch.finished();
  }

  std::vector<ScoredStrategy> by_formula() {
    if (!request_.given) {
      if (request_.so_far == nullptr) return searched();
      stopped_ = true;
      return {*request_.so_far};
    }
    const Strategy& given = request_.given->strategy;
    std::vector<ScoredStrategy> found =
        is_complete(context_, given) ? std::vector{score(context_, given)} : searched();
    for (std::string& text : idle_settings(problem_.job, found.front().strategy))
      request_.watch.report(std::move(text));
    return found;
  }

  std::vector<ScoredStrategy> searched() {
    SearchSpace space = on_gpus(request_.space, problem_.gpus(),
                                std::max(request_.top, request_.verify * kKeptPerRun));
    if (request_.given)
      space.fix = request_.given;
    else if (!is_one_type())
      aim(space, context_, request_.goal);
    space.keep_going = watch("searching");
    const SearchResult result = search(context_, space);
    finished();
    if (result.best.empty() && space.longest > 0 && !result.stopped) refuse_days(space);
    if (!request_.given)
      request_.watch.report(
          fmt::format("{} strategies: {} timed, {} do not fit in memory, {} excluded by a lower "
                      "bound on their time{}",
                      result.strategies, result.evaluated, result.too_large, result.too_slow,
                      result.stopped ? "; stopped before the end" : ""));
    if (!result.best.empty()) return result.best;
    if (!result.nearest) refuse(result);
    request_.watch.report(
        result.stopped
            ? "no strategy that fits in memory was found before the stop; the nearest is printed"
            : "no strategy fits in memory; the nearest is printed");
    // Not with several types, where each further search takes as long as the first.
    if (!result.stopped && is_one_type()) request_.watch.report(what_would_fit());
    return {*result.nearest};
  }

  /// Throws InputError with the reason why no strategy was found.
  [[noreturn]] void refuse(const SearchResult& result) {
    if (result.stopped)
      throw InputError("", "", "stopped before any strategy was found",
                       "let the search run longer");
    if (request_.given || !is_one_type()) refuse_indivisible(context_, request_.given.has_value());
    const int gpus = problem_.gpus(), batch = problem_.job.batch;
    throw InputError(
        "", "--job",
        fmt::format("no strategy divides the batch, heads and layers of {} over {} GPUs",
                    problem_.job.name, gpus),
        fmt::format("--gpus {}, or --batch {}", nearest_gpus(),
                    std::max(1, (batch + gpus / 2) / gpus) * gpus));
  }

  /// Throws InputError: no strategy finishes within the goal's days.
  [[noreturn]] void refuse_days(SearchSpace space) {
    space.longest = 0;
    space.value = {};
    space.least = {};
    space.counts.clear();
    space.top = 1;
    const SearchResult fastest = search(context_, space);
    const Goal& goal = request_.goal;
    throw InputError("", "--max-days",
                     fastest.best.empty()
                         ? "nothing fits"
                         : fmt::format("the fastest takes {:.1f} days",
                                       training_totals(problem_.job, fastest.best.front(),
                                                       goal.tokens, goal.rates)
                                           .days),
                     "more GPUs, or more days");
  }

  /// The best strategy on a number of GPUs.
  SearchResult best_on(const SearchSpace& space, int gpus) {
    SearchSpace one = on_gpus(space, gpus, 1);
    one.keep_going = watch("searching");
    return search(context_, one);
  }

  /// The largest smaller number of GPUs over which some strategy divides the job.
  [[nodiscard]] int nearest_gpus() const {
    const auto divides = [&](int gpus) {
      SearchSpace one = on_gpus(request_.space, gpus, 1);
      one.keep_going = [](double) { return false; };  // stops after a few thousand strategies
      return search(context_, one).strategies > 0;
    };
    int gpus = problem_.gpus() - 1;
    while (gpus > 1 && !divides(gpus)) --gpus;
    return std::max(1, gpus);
  }

  /// If nothing fits: a strategy that fits with offloading, or on 2, 4, 8, ... times as many GPUs.
  std::string what_would_fit() {
    const SearchSpace& space = request_.space;
    SearchSpace offloading = space;
    offloading.offload = true;
    const bool may_offload =
        !space.offload && context_.on(0).gpu.compute().host_bandwidth > Bandwidth();
    if (may_offload)
      if (const auto found = best_on(offloading, problem_.gpus()); !found.best.empty())
        return fmt::format("with --offload this strategy fits: {} ({:.1f} s per step)",
                           to_text(found.best.front().strategy),
                           found.best.front().step.total.seconds());
    constexpr int kMostTimes = 64;
    const int own = problem_.gpus();
    for (int gpus = 2 * own; gpus <= kMostTimes * own; gpus *= 2)
      if (const auto found = best_on(space, gpus); !found.best.empty())
        return fmt::format("on {} such GPUs this strategy fits: {}", gpus,
                           to_text(found.best.front().strategy));
    return fmt::format("no strategy fits on {} times as many such GPUs either", kMostTimes);
  }

  /// Reports each table of measured matrix products that contains no product of the best strategy.
  void note_tables(const ScoredStrategy& best) const {
    for (std::size_t t = 0; t < problem_.types.size(); ++t) {
      if (problem_.types[t].gpu.measured.empty()) continue;
      PlaceProblem by_formula = problem_;
      by_formula.types[t].gpu.measured = {};
      const ScoredStrategy other = score(by_formula.context(), best.strategy);
      const ScoredStrategy now = score(context_, best.strategy);
      if (other.step.compute != now.step.compute || other.computing != now.computing) continue;
      request_.watch.report(
          fmt::format("the --gemm-table of {} does not contain any matrix product of the best "
                      "strategy, so all times are by formula",
                      problem_.types[t].gpu.gpu.name));
    }
  }

  std::vector<SimulatedStrategy> simulated(std::span<const ScoredStrategy> best) {
    const auto engine = request_.engines(problem_);
    auto found = verify_search(
        {.context = context_,
         .engine = *engine,
         .mappings = [&](const Strategy& s) { return mapper_.mappings(s); },
         .keep_going = watch("simulating"),
         .runs = request_.runs,
         .operations_in_full = request_.operations_in_full,
         .keeps_fastest = request_.keeps_fastest,
         .only_fastest = request_.only_fastest && !orders_by_value(request_.goal, problem_)},
        best);
    finished();
    order_by_value(found);
    note_runs(found, engine->executor.name());
    return found;
  }

  /// Sorts by the value of the goal with simulated steps; strategies without a simulation come
  /// last.
  void order_by_value(std::vector<SimulatedStrategy>& found) const {
    const Goal& goal = request_.goal;
    if (!orders_by_value(goal, problem_)) return;
    std::ranges::stable_sort(found, {}, [&](const SimulatedStrategy& one) {
      return std::pair(!one.simulated, value_in(goal, problem_.job, as_simulated(one)));
    });
  }

  /// Reports how many strategies were simulated and by which engine, why others were not, and which
  /// traffic slows the first.
  void note_runs(std::span<const SimulatedStrategy> found, std::string_view engine) const {
    std::set<std::string> refused;
    for (const SimulatedStrategy& one : found)
      if (!one.why_not.empty()) refused.insert(one.why_not);
    const auto ran = std::ranges::count_if(
        found, [](const SimulatedStrategy& one) { return one.simulated.has_value(); });
    for (const std::string& why : refused) request_.watch.report("not simulated: " + why);
    request_.watch.report(fmt::format("strategies simulated: {} ({}), {}{}", ran, engine,
                                      text_of_runs(found),
                                      stopped_ ? "; stopped before the end" : ""));
    for (std::string text : {text_of_others(problem_), text_of_contention(found.front().slowdowns)})
      if (!text.empty()) request_.watch.report(std::move(text));
  }

  /// How the steps were simulated.
  static std::string text_of_runs(std::span<const SimulatedStrategy> found) {
    const auto count = [&](auto&& is) { return std::ranges::count_if(found, is); };
    const auto passes =
        count([](const SimulatedStrategy& v) { return v.simulated && !v.as_workload; });
    const auto whole =
        count([](const SimulatedStrategy& v) { return v.simulated && v.as_workload; });
    const auto in_part =
        count([](const SimulatedStrategy& v) { return v.simulated && v.micro_batches > 0; });
    std::string text = passes == 0 ? "each as a whole step" : "pass by pass: ";
    if (passes > 0 && whole > 0) text = fmt::format("{} of them pass by pass: ", passes);
    if (passes > 0)
      text += std::ranges::find_if(found, [](const SimulatedStrategy& v) {
                return v.simulated && !v.as_workload;
              })->why_passes;
    if (in_part == 0) return text;
    double difference = 0;
    for (const SimulatedStrategy& one : found)
      if (one.simulated) difference = std::max(difference, one.difference);
    return text + fmt::format(
                      "; {} of them with their first micro-batches only, and the rest extrapolated "
                      "(the times of repeated micro-batches vary by at most {:.3f} %)",
                      in_part, 100 * difference);
  }

  const CandidateRequest& request_;
  const PlaceProblem& problem_;
  const Mapper& mapper_;
  CostContext context_;
  bool stopped_ = false;
};

}  // namespace

bool has_slower_links(const PlaceProblem& problem) {
  return !problem.faults.empty() ||
         std::ranges::any_of(problem.occupancy.jobs,
                             [](const RunningJob& t) { return t.rate.bits_per_second() > 0; });
}

std::vector<SimulatedStrategy> find_candidates(const CandidateRequest& request,
                                               const PlaceProblem& problem, const Mapper& mapper) {
  return CandidateSearch(request, problem, mapper).run();
}

bool orders_by_value(const Goal& goal, const PlaceProblem& problem) {
  return problem.types.size() > 1 && goal.objective != Objective::time;
}

ScoredStrategy as_simulated(const SimulatedStrategy& one) {
  ScoredStrategy scored = one.scored;
  if (one.simulated) scored.step = *one.simulated;
  return scored;
}

}  // namespace railyard::placement
