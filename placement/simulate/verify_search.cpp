#include "placement/simulate/verify_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
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

/// Keeps the fastest mapping. `simulate(mapping)` gives the SimulatedStep.
template <class Simulate>
void run_mappings(const std::vector<Mapping>& mappings, Simulate&& simulate, Verified& best) {
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    SimulatedStep step = simulate(mappings[i]);
    if (best.simulated && step.cost.total >= best.simulated->total) continue;
    best.simulated = step.cost;
    best.mapping = i;
    best.slowdowns = std::move(step.slowdowns);
    best.runs = std::move(step.runs);
    best.whole = std::move(step.whole);
  }
}

/// Runs candidates one after the other.
class Verification {
 public:
  explicit Verification(const VerifyRequest& request)
      : request_(request), engine_(request.engine) {}

  void run(Verified& one) {
    const std::vector<Mapping> mappings = request_.mappings(one.scored.strategy);
    if (!engine_.whole_steps) return run_passes(mappings, engine_.why_no_steps, one);
    const Verified before = one;
    try {
      run_workload(mappings, one);
    } catch (const WorkloadTooLarge& too_large) {
      one = before;
      run_passes(mappings,
                 left_ >= kMostOperationsOfOne
                     ? too_large.what()
                     : fmt::format("the whole steps of a search have at most {} million operations",
                                   kMostOperationsOfAll / 1'000'000),
                 one);
    }
  }

 private:
  void run_passes(const std::vector<Mapping>& mappings, const std::string& why, Verified& one) {
    if (!passes_) passes_.emplace(request_.context, engine_);
    one.why_passes = why;
    run_mappings(
        mappings,
        [&](const Mapping& mapping) {
          return passes_->run(one.scored.strategy, mapping, request_.runs);
        },
        one);
  }

  void run_workload(const std::vector<Mapping>& mappings, Verified& one) {
    one.as_workload = true;
    const auto workload = std::make_shared<const collectives::Workload>(
        step_workload(request_.context, one.scored.strategy));
    if (workload->operation_count() > request_.operations_in_full && run_first(mappings, one))
      return;
    run_mappings(
        mappings, [&](const Mapping& mapping) { return whole(workload, mapping, one, 0); }, one);
  }

  /// Runs the first micro-batches; false where they do not stand for all.
  bool run_first(const std::vector<Mapping>& mappings, Verified& one) {
    const Strategy& s = one.scored.strategy;
    const int all = micro_batches(request_.context.job.batch, s);
    const int first = shown_micro_batches(all, micro_batches_for_rounds(s), s);
    if (first == 0 || !s.classes.empty() || all < 2 * first) return false;
    const auto workload =
        std::make_shared<const collectives::Workload>(step_workload(request_.context, s, first));
    Verified its = one;
    its.micro_batches = first;
    run_mappings(
        mappings,
        [&](const Mapping& mapping) { return whole(workload, mapping, its, all - first); }, its);
    if (its.difference > kMostDifference) return false;
    one = std::move(its);
    return true;
  }

  SimulatedStep whole(const std::shared_ptr<const collectives::Workload>& workload,
                      const Mapping& mapping, Verified& one, int left_out) {
    const std::uint64_t most =
        std::clamp(left_, std::uint64_t{1}, kMostOperationsOfOne);  // 0 is no limit
    collectives::WorkloadRun run = engine_.whole_steps(*workload, mapping.gpus, most);
    std::uint64_t operations = 0;
    for (const collectives::RankClassRun& ranks : run.classes)
      operations += ranks.operations.size();
    left_ -= std::min(left_, operations);
    RoundsLeftOut rounds;
    if (left_out > 0) {
      const auto shown = rounds_left_out(one.scored.strategy, *workload, run, left_out);
      rounds = shown.value_or(RoundsLeftOut{.difference = 1});
      one.difference = std::max(one.difference, rounds.difference);
    }
    SimulatedStep step{.cost = whole_step_cost(*workload, run, one.scored.step, rounds),
                       .slowdowns = whole_step_slowdowns(*workload, run)};
    if (request_.keeps_fastest)
      step.whole = std::make_shared<const WholeStepRun>(WholeStepRun{workload, std::move(run)});
    return step;
  }

  const VerifyRequest& request_;
  const Engine& engine_;
  std::uint64_t left_ = kMostOperationsOfAll;  ///< operations that whole steps may have
  std::optional<StepByPasses> passes_;
};

/// Of the last one and the fastest before it the faster keeps its run, which may be large.
void keep_fastest(std::vector<Verified>& verified, std::size_t& fastest) {
  const std::size_t last = verified.size() - 1;
  const auto &now = verified[last].simulated, &before = verified[fastest].simulated;
  if (!now || last == fastest) return;
  const bool is_faster = !before || now->total < before->total;
  verified[is_faster ? fastest : last].whole.reset();
  if (is_faster) fastest = last;
}

std::vector<Verified> simulated(const VerifyRequest& request, std::span<const Scored> candidates) {
  Verification verification(request);
  std::vector<Verified> verified;
  std::size_t fastest = 0;
  bool goes_on = true;
  for (const Scored& scored : candidates) {
    Verified& one = verified.emplace_back(Verified{.scored = scored});
    const double done =
        static_cast<double>(verified.size() - 1) / static_cast<double>(candidates.size());
    goes_on = goes_on && (!request.keep_going || request.keep_going(done));
    if (!goes_on) continue;
    try {
      verification.run(one);
    } catch (const InputError& error) {
      one.why_not = error.what();
    }
    keep_fastest(verified, fastest);
  }
  return verified;
}

}  // namespace

std::vector<Verified> verify_search(const VerifyRequest& request,
                                    std::span<const Scored> candidates) {
  std::vector<Verified> verified = simulated(request, candidates);
  std::ranges::stable_sort(verified, [](const Verified& a, const Verified& b) {
    if (a.simulated && b.simulated) return a.simulated->total < b.simulated->total;
    return a.simulated.has_value() && !b.simulated.has_value();
  });
  return verified;
}

}  // namespace railyard::placement
