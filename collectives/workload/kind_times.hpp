#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "collectives/workload/workload.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// What a class of ranks spends on its operations of one kind: computation, or the all_reduce of
/// one family of groups.
struct KindTimes {
  std::string kind;    ///< "compute", "all_reduce", "send"
  std::string family;  ///< of groups; "" for what does not communicate
  std::uint64_t operations = 0;
  Bytes bytes{};
  Time busy{};       ///< sum over operations, from begin to end
  Time exposed{};    ///< during which one runs and no computation does; of computation: all of it
  Time alone{};      ///< sum of what they take by themselves
  Time peer_wait{};  ///< sum of waits for the last rank
  Time link_wait{};  ///< sum of what concurrent streams on links cost
};

/// The kinds of a class of ranks, the longest first.
[[nodiscard]] std::vector<KindTimes> kind_times(const Workload& workload,
                                                const RankClassRun& ranks);

/// Steps of the critical path with a key in common.
struct PathSum {
  std::uint64_t steps = 0;
  Time time{};
};

/// Sums over the critical path by `key_of(ranks, operation, step)`.
template <class KeyOf>
[[nodiscard]] auto path_sums(const Workload& workload, const WorkloadRun& run,
                             const KeyOf& key_of) {
  using Key = std::invoke_result_t<const KeyOf&, const RankClassRun&, const Operation&,
                                   const CriticalStep&>;
  std::map<Key, PathSum> sums;
  for (const CriticalStep& step : run.critical_path) {
    const RankClassRun& ranks = run.classes[step.operation.which];
    const Program& program = workload.programs()[workload.roles()[ranks.role].program];
    PathSum& sum = sums[key_of(ranks, program.operations[step.operation.operation], step)];
    ++sum.steps;
    sum.time += step.end - step.begin;
  }
  return sums;
}

/// The part of the critical path that operations of one kind take.
struct PathShare {
  std::string kind, family;
  WaitCause cause = WaitCause::none;  ///< what the operations began behind
  std::uint64_t steps = 0;
  Time time{};
};

/// The kinds on the critical path, the longest first. Their times add up to the run's.
[[nodiscard]] std::vector<PathShare> path_shares(const Workload& workload, const WorkloadRun& run);

}  // namespace railyard::collectives
