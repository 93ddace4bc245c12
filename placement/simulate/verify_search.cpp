#include "placement/simulate/verify_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "core/diagnostic.hpp"
#include "placement/simulate/steady_rounds.hpp"
#include "placement/simulate/step_by_passes.hpp"
#include "placement/simulate/step_workload.hpp"
#include "placement/simulate/whole_step.hpp"

namespace railyard::placement {
namespace {

using collectives::WorkloadTooLarge;

/// Keeps the fastest mapping. `simulate(i)` returns the SimulatedStep for the i-th mapping.
template <class Simulate>
void run_mappings(std::span<const Mapping> mappings, Simulate&& simulate, SimulatedStrategy& best) {
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    SimulatedStep step = simulate(i);
    if (best.simulated && step.cost.total >= best.simulated->total) continue;
    best.simulated = step.cost;
    best.mapping = i;
    best.slowdowns = std::move(step.slowdowns);
    best.runs = std::move(step.runs);
    best.whole = std::move(step.whole);
  }
}

/// Member of a prepared workload to call: run or least.
using RunKind =
    std::function<collectives::WorkloadRun(std::uint64_t)> collectives::ReadyWorkload::*;

/// The step of a candidate, prepared for a mapping when first used.
struct ReadyStep {
  std::shared_ptr<const collectives::Workload> workload{};
  int left_out = 0;  ///< number of micro-batches, after the first ones, that it omits
  std::vector<std::optional<collectives::ReadyWorkload>> by_mapping{};
};

/// A candidate, and the data that its runs share.
class Candidate {
 public:
  Candidate(const VerifyRequest& request, const ScoredStrategy& scored)
      : request_(request), scored_(scored) {}

  [[nodiscard]] const ScoredStrategy& scored() const { return scored_; }
  [[nodiscard]] std::span<const Mapping> mappings() {
    if (mappings_.empty()) mappings_ = request_.mappings(scored_.strategy);
    return mappings_;
  }

  /// The step with the first micro-batches only, if it is long and can be extrapolated; else null.
  ReadyStep* first() {
    const Strategy& s = scored_.strategy;
    const int every = micro_batches(request_.context.job.batch, s);
    const int shown = shown_micro_batches(every, micro_batches_for_rounds(s), s);
    if (shown == 0 || !s.classes.empty() || every < 2 * shown || !is_long()) return nullptr;
    if (!first_) first_ = step_of(step_workload(request_.context, s, shown), every - shown);
    return &*first_;
  }
  /// The step with all micro-batches.
  ReadyStep& whole() {
    if (!whole_) whole_ = step_of(step_workload(request_.context, scored_.strategy), 0);
    return *whole_;
  }
  /// The step of this candidate prepared for the i-th mapping.
  const collectives::ReadyWorkload& ready(ReadyStep& step, std::size_t i) {
    std::optional<collectives::ReadyWorkload>& its = step.by_mapping[i];
    if (!its) its = request_.engine.whole_steps(*step.workload, mappings()[i].gpus);
    return *its;
  }

 private:
  [[nodiscard]] bool is_long() {
    if (request_.operations_in_full == 0) return true;
    return whole().workload->operation_count() > request_.operations_in_full;
  }
  [[nodiscard]] ReadyStep step_of(collectives::Workload step, int left_out) {
    ReadyStep its{.workload = std::make_shared<const collectives::Workload>(std::move(step)),
                  .left_out = left_out};
    its.by_mapping.resize(mappings().size());
    return its;
  }

  const VerifyRequest& request_;
  const ScoredStrategy& scored_;
  std::vector<Mapping> mappings_;
  std::optional<ReadyStep> first_, whole_;
};

/// Simulates candidates one after another.
class Verification {
 public:
  explicit Verification(const VerifyRequest& request)
      : request_(request), engine_(request.engine) {}

  void run(Candidate& candidate, SimulatedStrategy& one) {
    if (!engine_.whole_steps) return run_passes(candidate, engine_.why_no_steps, one);
    const SimulatedStrategy before = one;
    try {
      run_workload(&collectives::ReadyWorkload::run, candidate, one);
    } catch (const WorkloadTooLarge& too_large) {
      one = before;
      run_passes(candidate,
                 left_ >= kMostOperationsOfOne
                     ? too_large.what()
                     : fmt::format("the whole steps of a search have at most {} million operations",
                                   kMostOperationsOfAll / 1'000'000),
                 one);
    }
  }

  /// A lower bound of the candidate's simulated step; 0 if unknown.
  Time least_time(Candidate& candidate) {
    if (!engine_.whole_steps) return {};
    const std::uint64_t left = std::exchange(left_, kMostOperationsOfOne);
    SimulatedStrategy least{.scored = candidate.scored()};
    try {
      run_workload(&collectives::ReadyWorkload::least, candidate, least);
    } catch (const InputError&) {
      // run() reports the problem.
    }
    left_ = left;
    if (!least.simulated) return {};
    // Extrapolation may be wrong by kMostDifference, in this run and in the compared one.
    const double kept = 1 - 2 * kMostDifference;
    return Time::from_seconds(least.simulated->total.seconds() * kept);
  }

 private:
  void run_passes(Candidate& candidate, const std::string& why, SimulatedStrategy& one) {
    if (!passes_) passes_.emplace(request_.context, engine_);
    one.why_passes = why;
    run_mappings(
        candidate.mappings(),
        [&](std::size_t i) {
          return passes_->run(one.scored.strategy, candidate.mappings()[i], request_.runs);
        },
        one);
  }

  void run_workload(RunKind kind, Candidate& candidate, SimulatedStrategy& one) {
    one.as_workload = true;
    if (ReadyStep* const first = candidate.first()) {
      SimulatedStrategy its = one;
      its.micro_batches =
          micro_batches(request_.context.job.batch, one.scored.strategy) - first->left_out;
      run_step(kind, candidate, *first, its);
      if (its.difference <= kMostDifference) {
        one = std::move(its);
        return;
      }
    }
    run_step(kind, candidate, candidate.whole(), one);
  }

  void run_step(RunKind kind, Candidate& candidate, ReadyStep& step, SimulatedStrategy& one) {
    run_mappings(
        candidate.mappings(),
        [&](std::size_t i) {
          SimulatedStep its = simulated(candidate.ready(step, i).*kind, step, one);
          // This run is the last for the mapping.
          if (kind == &collectives::ReadyWorkload::run) step.by_mapping[i].reset();
          return its;
        },
        one);
  }

  SimulatedStep simulated(const std::function<collectives::WorkloadRun(std::uint64_t)>& simulate,
                          const ReadyStep& ready, SimulatedStrategy& one) {
    const std::uint64_t most =
        std::clamp(left_, std::uint64_t{1}, kMostOperationsOfOne);  // 0 is no limit
    collectives::WorkloadRun run = simulate(most);
    std::uint64_t operations = 0;
    for (const collectives::RankClassRun& ranks : run.classes)
      operations += ranks.operations.size();
    left_ -= std::min(left_, operations);
    const collectives::Workload& workload = *ready.workload;
    ExtrapolatedRounds rounds;
    if (ready.left_out > 0) {
      const auto shown = rounds_left_out(one.scored.strategy, workload, run, ready.left_out);
      rounds = shown.value_or(ExtrapolatedRounds{.difference = 1});
      one.difference = std::max(one.difference, rounds.difference);
    }
    SimulatedStep step{.cost = whole_step_cost(workload, run, one.scored.step, rounds),
                       .slowdowns = whole_step_slowdowns(workload, run)};
    if (request_.keeps_fastest)
      step.whole =
          std::make_shared<const WholeStepRun>(WholeStepRun{ready.workload, std::move(run)});
    return step;
  }

  const VerifyRequest& request_;
  const Engine& engine_;
  /// Remaining number of operations that whole steps may simulate.
  std::uint64_t left_ = kMostOperationsOfAll;
  std::optional<StepByPasses> passes_;
};

/// Keeps the run of only the faster of the last candidate and the fastest before it, because runs
/// are large.
void keep_fastest(std::vector<SimulatedStrategy>& verified, std::size_t last,
                  std::optional<std::size_t>& fastest) {
  if (!verified[last].simulated) return;
  if (!fastest) {
    fastest = last;
    return;
  }
  const bool is_faster = verified[last].simulated->total < verified[*fastest].simulated->total;
  verified[is_faster ? *fastest : last].whole.reset();
  if (is_faster) fastest = last;
}

std::vector<SimulatedStrategy> simulated(const VerifyRequest& request,
                                         std::span<const ScoredStrategy> candidates) {
  Verification verification(request);
  std::vector<SimulatedStrategy> verified;
  for (const ScoredStrategy& scored : candidates) verified.push_back({.scored = scored});
  // Data for a candidate's second run is freed once it has run.
  std::vector<std::optional<Candidate>> steps(candidates.size());
  std::vector<Time> least(candidates.size());
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (request.only_fastest && candidates.size() > 1) {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      least[i] = verification.least_time(steps[i].emplace(request, candidates[i]));
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return least[i]; });
  }
  std::optional<std::size_t> fastest;
  for (std::size_t k = 0; k < order.size(); ++k) {
    SimulatedStrategy& one = verified[order[k]];
    const double done = static_cast<double>(k) / static_cast<double>(order.size());
    if (request.keep_going && !request.keep_going(done)) break;
    if (fastest && least[order[k]] > verified[*fastest].simulated->total) {
      one.why_not = "its least time is above the fastest step";
      continue;
    }
    std::optional<Candidate>& its = steps[order[k]];
    if (!its) its.emplace(request, candidates[order[k]]);
    try {
      verification.run(*its, one);
    } catch (const InputError& error) {
      one.why_not = error.what();
    }
    its.reset();
    keep_fastest(verified, order[k], fastest);
  }
  return verified;
}

}  // namespace

std::vector<SimulatedStrategy> verify_search(const VerifyRequest& request,
                                             std::span<const ScoredStrategy> candidates) {
  std::vector<SimulatedStrategy> verified = simulated(request, candidates);
  std::ranges::stable_sort(verified, [](const SimulatedStrategy& a, const SimulatedStrategy& b) {
    if (a.simulated && b.simulated) return a.simulated->total < b.simulated->total;
    return a.simulated.has_value() && !b.simulated.has_value();
  });
  return verified;
}

}  // namespace railyard::placement
