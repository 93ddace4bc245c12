#include "placement/simulate/verify_search.hpp"

#include <algorithm>
#include <utility>

#include "core/diagnostic.hpp"
#include "placement/simulate/step_by_passes.hpp"
#include "placement/simulate/step_workload.hpp"
#include "placement/simulate/whole_step.hpp"

namespace railyard::placement {
namespace {

using collectives::WorkloadTooLarge;
/// Simulates a strategy under one of its mappings.
using Simulate = std::function<SimulatedStep(const Mapping& mapping)>;

/// Keeps the fastest mapping.
void run_mappings(const std::vector<Mapping>& mappings, const Simulate& simulate, Verified& best) {
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    SimulatedStep step = simulate(mappings[i]);
    if (best.simulated && step.cost.total >= best.simulated->total) continue;
    best.simulated = step.cost;
    best.mapping = i;
    best.slowdowns = std::move(step.slowdowns);
    best.runs = std::move(step.runs);
  }
}

/// Runs `verify` for one candidate after the other.
template <class Verify>
std::vector<Verified> each(const VerifyRequest& request, std::span<const Scored> candidates,
                           Verify&& verify) {
  std::vector<Verified> verified;
  bool goes_on = true;
  for (const Scored& scored : candidates) {
    Verified& one = verified.emplace_back(Verified{.scored = scored});
    const double done =
        static_cast<double>(verified.size() - 1) / static_cast<double>(candidates.size());
    goes_on = goes_on && (!request.keep_going || request.keep_going(done));
    if (!goes_on) continue;
    try {
      verify(request.mappings(scored.strategy), one);
    } catch (const WorkloadTooLarge&) {
      throw;
    } catch (const InputError& error) {
      one.why_not = error.what();
    }
  }
  return verified;
}

/// Numbers of micro-batches of two short steps that stand for a long one.
struct ShortSteps {
  int fewer = 0, more = 0, all = 0;
};

/// Nothing where the step is run whole. The first p micro-batches fill the pipeline, the last p
/// empty it; of interleaved schedules the filling takes up to 2 p.
std::optional<ShortSteps> short_steps(const VerifyRequest& request, const Strategy& s) {
  if (!request.shortens || !s.classes.empty()) return std::nullopt;
  const int filling = std::max(2, s.schedule == PipelineSchedule::dualpipe ? 2 * s.pp : s.pp);
  const ShortSteps steps{.fewer = 2 * filling,
                         .more = 3 * filling,
                         .all = micro_batches(request.context.job.batch, s)};
  if (steps.all <= 4 * (filling + 2)) return std::nullopt;
  return steps;
}

/// Runs a step of some micro-batches (0: all).
class StepRunner {
 public:
  StepRunner(const VerifyRequest& request, const Scored& scored, int micro_batches,
             std::uint64_t most)
      : engine_(request.engine),
        by_formula_(scored.step),
        workload_(step_workload(request.context, scored.strategy, micro_batches)),
        most_(most) {}
  [[nodiscard]] SimulatedStep run(const Mapping& mapping) const {
    const auto run = engine_.whole_steps(workload_, mapping.gpus, most_);
    return {.cost = whole_step_cost(workload_, run, by_formula_),
            .slowdowns = whole_step_slowdowns(workload_, run)};
  }

 private:
  const Engine& engine_;
  const StepCost& by_formula_;
  collectives::Workload workload_;
  std::uint64_t most_;
};

std::vector<Verified> as_workloads(const VerifyRequest& request,
                                   std::span<const Scored> candidates) {
  const std::uint64_t most = candidates.size() > 1 ? kMostOperationsOfMany : kMostOperationsOfOne;
  return each(request, candidates, [&](const std::vector<Mapping>& mappings, Verified& one) {
    one.as_workload = true;
    const auto steps = short_steps(request, one.scored.strategy);
    const StepRunner last(request, one.scored, steps ? steps->more : 0, most);
    if (!steps)
      return run_mappings(
          mappings, [&](const Mapping& m) { return last.run(m); }, one);
    const StepRunner first(request, one.scored, steps->fewer, most);
    const auto simulate = [&](const Mapping& mapping) {
      SimulatedStep step = last.run(mapping);
      step.cost =
          extended_step(first.run(mapping).cost, steps->fewer, step.cost, steps->more, steps->all);
      return step;
    };
    run_mappings(mappings, simulate, one);
  });
}

std::vector<Verified> pass_by_pass(const VerifyRequest& request, std::span<const Scored> candidates,
                                   const std::string& why) {
  StepByPasses passes(request.context, request.engine);
  return each(request, candidates, [&](const std::vector<Mapping>& mappings, Verified& one) {
    one.why_passes = why;
    const auto simulate = [&](const Mapping& mapping) {
      return passes.run(one.scored.strategy, mapping, request.runs);
    };
    run_mappings(mappings, simulate, one);
  });
}

std::vector<Verified> simulated(const VerifyRequest& request, std::span<const Scored> candidates) {
  if (!request.engine.whole_steps)
    return pass_by_pass(request, candidates, request.engine.why_no_steps);
  try {
    return as_workloads(request, candidates);
  } catch (const WorkloadTooLarge& too_large) {
    return pass_by_pass(request, candidates, too_large.what());
  }
}

}  // namespace

StepCost extended_step(const StepCost& fewer, int a, const StepCost& more, int b, int m) {
  const double times = static_cast<double>(m - b) / (b - a);
  StepCost cost = more;
  for (Time StepCost::*part : {&StepCost::total, &StepCost::compute, &StepCost::tp, &StepCost::pp,
                               &StepCost::dp, &StepCost::ep, &StepCost::cp, &StepCost::optimizer,
                               &StepCost::offload, &StepCost::bubble}) {
    const double each = (more.*part - fewer.*part).seconds();
    cost.*part = std::max(Time(), more.*part + Time::from_seconds(times * each));
  }
  return cost;
}

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
