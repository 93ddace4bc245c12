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

std::vector<Verified> as_workloads(const VerifyRequest& request,
                                   std::span<const Scored> candidates) {
  const std::uint64_t most = candidates.size() > 1 ? kMostOperationsOfMany : kMostOperationsOfOne;
  return each(request, candidates, [&](const std::vector<Mapping>& mappings, Verified& one) {
    one.as_workload = true;
    const collectives::Workload workload = step_workload(request.context, one.scored.strategy);
    const auto simulate = [&](const Mapping& mapping) {
      const auto run = request.engine.whole_steps(workload, mapping.gpus, most);
      return SimulatedStep{.cost = whole_step_cost(workload, run, one.scored.step),
                           .slowdowns = whole_step_slowdowns(workload, run)};
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
