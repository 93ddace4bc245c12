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

/// The times of the operations of one kind in a class of ranks: computation, or for example the
/// all_reduce of one family of groups.
struct KindTimes {
  std::string kind;    ///< "compute", "all_reduce", "send"
  std::string family;  ///< family of groups; "" if it does not communicate
  std::uint64_t operations = 0;
  Bytes bytes{};
  Time busy{};       ///< sum over operations of end - begin
  Time exposed{};    ///< time in which such an operation runs without computation; for computation:
                     ///< its whole time
  Time alone{};      ///< sum of the operations' times without other traffic
  Time peer_wait{};  ///< sum of waits for the last rank
  Time link_wait{};  ///< sum of delays by concurrent traffic on links
};

/// The kinds of a class of ranks, the longest first.
[[nodiscard]] std::vector<KindTimes> kind_times(const Workload& workload,
                                                const RankClassRun& ranks);

/// Sums over steps of the critical path.
struct PathSum {
  std::uint64_t steps = 0;
  Time time{};
};

/// Steps and times of the critical path, summed by `key_of(ranks, operation, step)`.
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

/// The part of the critical path in operations of one kind.
struct PathShare {
  std::string kind, family;
  WaitCause cause = WaitCause::none;  ///< what the operations waited for
  std::uint64_t steps = 0;
  Time time{};
};

/// The kinds on the critical path, longest first. Their times sum to that of the run.
[[nodiscard]] std::vector<PathShare> path_shares(const Workload& workload, const WorkloadRun& run);

}  // namespace railyard::collectives
