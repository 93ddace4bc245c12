#include "placement/simulate/whole_step.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "placement/simulate/stage_program.hpp"
#include "placement/simulate/step_workload.hpp"

namespace railyard::placement {
namespace {

using collectives::Operation;
using collectives::OperationKind;
using collectives::OperationRun;
using collectives::RankClassRun;
using collectives::Workload;
using collectives::WorkloadRun;

/// Parts of a step, in the order of priority; `bubble` is the remainder.
enum Part : std::size_t { optimizer, compute, tp, cp, ep, dp, pp, offload, bubble, kParts };

Part part_of(GroupRole role) {
  switch (role) {
    case GroupRole::tensor: return tp;
    case GroupRole::context: return cp;
    case GroupRole::expert: return ep;
    case GroupRole::pipeline: return pp;
    default: return dp;
  }
}

/// By the workload's families.
std::vector<Part> parts_of_families(const Workload& workload) {
  std::vector<Part> parts;
  for (const auto& role : roles_of_families(workload))
    parts.push_back(role ? part_of(*role) : bubble);
  return parts;
}

Time computing(const Workload& workload, const RankClassRun& ranks) {
  const collectives::Program& program = workload.program_of(ranks.ranks.front());
  Time sum;
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (program.operations[i].kind == OperationKind::compute) sum += ranks.operations[i].alone;
  return sum;
}

/// Length of an interval, including its occurrences in rounds that the run leaves out.
Time with_rounds_left_out(Time from, Time to, const RoundsLeftOut& left_out) {
  const Time of_rounds = std::min(to, left_out.to) - std::max(from, left_out.from);
  if (of_rounds <= Time()) return to - from;
  return to - from + Time::from_seconds(of_rounds.seconds() * left_out.times);
}

/// Additional time of computation because of concurrent collectives over replicas.
Time slowed(const Workload& workload, const RankClassRun& ranks, const RoundsLeftOut& left_out) {
  const collectives::Program& program = workload.program_of(ranks.ranks.front());
  Time sum;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const OperationRun& its = ranks.operations[i];
    const Time more = its.end - its.start - its.alone;
    if (program.operations[i].kind == OperationKind::compute && more > Time())
      sum += with_rounds_left_out(its.end - more, its.end, left_out);
  }
  return sum;
}

struct Change {
  Time at{};
  Part part = bubble;
  int running = 0;
};

std::vector<Change> changes_of(const Workload& workload, const RankClassRun& ranks) {
  const std::vector<Part> parts = parts_of_families(workload);
  const collectives::Program& program = workload.program_of(ranks.ranks.front());
  std::vector<Change> changes;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    const OperationRun& its = ranks.operations[i];
    if (its.end <= its.start) continue;
    const Part part = is_communication(operation.kind)                 ? parts[operation.family]
                      : operation.kind != OperationKind::compute       ? offload
                      : workload.names()[operation.name] == kOptimizer ? optimizer
                                                                       : compute;
    changes.push_back({its.start, part, 1});
    changes.push_back({its.end, part, -1});
  }
  std::ranges::stable_sort(changes, {}, &Change::at);
  return changes;
}

}  // namespace

StepCost whole_step_cost(const Workload& workload, const WorkloadRun& run,
                         const StepCost& by_formula, const RoundsLeftOut& left_out) {
  const auto busiest = std::ranges::max_element(
      run.classes, {}, [&](const RankClassRun& ranks) { return computing(workload, ranks); });
  std::array<Time, kParts> sums{};
  std::array<int, kParts> running{};
  Time now;
  const auto advance = [&](Time to) {
    const auto first = std::ranges::find_if(running, [](int count) { return count > 0; });
    sums[std::min<std::size_t>(static_cast<std::size_t>(first - running.begin()), bubble)] +=
        with_rounds_left_out(now, to, left_out);
    now = to;
  };
  for (const Change& change : changes_of(workload, *busiest)) {
    advance(change.at);
    running[change.part] += change.running;
  }
  advance(run.total);
  const Time lost = std::min(slowed(workload, *busiest, left_out), sums[compute]);
  StepCost cost = by_formula;
  cost.total = run.total + left_out.longer;
  cost.compute = sums[compute] - lost;
  cost.tp = sums[tp];
  cost.pp = sums[pp];
  cost.dp = sums[dp] + lost;
  cost.ep = sums[ep];
  cost.cp = sums[cp];
  cost.optimizer = sums[optimizer];
  cost.offload = sums[offload];
  // With rounds left out this also contains waits for ranks with longer rounds, and rounding.
  cost.bubble = sums[bubble] + cost.total - std::accumulate(sums.begin(), sums.end(), Time());
  return cost;
}

std::vector<Slowdown> whole_step_slowdowns(const Workload& workload, const WorkloadRun& run) {
  struct Sums {
    double taken = 0, alone = 0;
  };
  const std::vector<std::optional<GroupRole>> roles = roles_of_families(workload);
  std::vector<Slowdown> slow;
  for (const RankClassRun& ranks : run.classes) {
    const collectives::Program& program = workload.program_of(ranks.ranks.front());
    std::vector<Sums> sums(roles.size());
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      if (!is_communication(program.operations[i].kind)) continue;
      const OperationRun& its = ranks.operations[i];
      Sums& sum = sums[program.operations[i].family];
      sum.taken += (its.end - its.start).seconds();
      sum.alone += its.alone.seconds();
    }
    for (std::size_t f = 0; f < sums.size(); ++f) {
      if (!roles[f] || sums[f].taken <= 1.01 * sums[f].alone) continue;
      const double factor = sums[f].taken / sums[f].alone;
      const auto known = std::ranges::find(slow, name_of(*roles[f]), &Slowdown::dimension);
      if (known == slow.end())
        slow.push_back({name_of(*roles[f]), factor});
      else
        known->factor = std::max(known->factor, factor);
    }
  }
  return slow;
}

}  // namespace railyard::placement
