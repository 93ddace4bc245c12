#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/workload/workload.hpp"
#include "core/diagnostic.hpp"
#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// The last event that an operation waited for before it began.
enum class WaitCause : std::uint8_t {
  none,        ///< it began at time 0
  stream,      ///< the operation before it on its stream
  dependency,  ///< an operation that it depends on
  peer,        ///< collective or message: the last rank to arrive
};
[[nodiscard]] std::string_view to_text(WaitCause cause);

/// An operation of a class of ranks: the index of the class in WorkloadRun::classes, and the index
/// of the operation in the program.
struct OperationId {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t which = kNone;
  std::uint32_t operation = kNone;
  friend bool operator==(OperationId, OperationId) = default;
};

/// The times of an operation. A collective or message begins on a rank (its kernel runs and waits),
/// starts when its last rank has begun, and ends on all ranks at the same time.
struct OperationRun {
  Time begin = Time::never();
  Time start = Time::never();  ///< equals begin, except for collectives and messages
  Time end = Time::never();
  Time alone{};  ///< time without other traffic; end - start - alone is the delay by concurrent
                 ///< traffic
  WaitCause cause = WaitCause::none;
  OperationId behind{};  ///< the last operation that it waited for
};

/// Ranks of one role that perform the same operations at the same times.
struct RankClassRun {
  std::uint32_t role = 0;
  std::vector<std::uint32_t> ranks;
  std::vector<OperationRun> operations;  ///< by index in the program
  Time end{};                            ///< end of its last operation
};

/// The times of a class of ranks by activity. Computation and communication may overlap.
struct RankTimes {
  Time compute{}, host{}, copy{};
  Time communication{};  ///< a collective or message moves bytes
  Time exposed{};        ///< the part of communication without computation
  Time link_wait{};      ///< total delay of collectives and messages by concurrent traffic
  Time peer_wait{};      ///< time in which only waiting collectives and messages run
  Time idle{};           ///< time in which nothing runs, because of dependencies
};

/// One operation of the critical path. It waited for the previous one in the list.
struct CriticalStep {
  OperationId operation{};
  WaitCause cause = WaitCause::none;
  Time begin{};  ///< start of its part of the critical path
  Time end{};
};

/// The result of running a workload.
struct WorkloadRun {
  Time total{};
  std::vector<RankClassRun> classes;
  std::vector<CriticalStep> critical_path;  ///< from time 0 to the end
  std::vector<LinkLoad> link_loads;         ///< links with traffic, by id
  std::vector<std::string> notes;

  /// The class of each rank.
  [[nodiscard]] std::vector<std::uint32_t> class_of_ranks(std::uint32_t ranks) const;
};

/// The times of a class of ranks.
[[nodiscard]] RankTimes rank_times(const Workload& workload, const RankClassRun& ranks);
/// The critical path: starts at the operation that ends last, and continues backwards from each
/// operation to the last operation that it waited for.
[[nodiscard]] std::vector<CriticalStep> critical_path(const WorkloadRun& run);
/// The name of the timeline track of an operation, for the first rank of a class.
[[nodiscard]] std::string track_of(const Workload& workload, const RankClassRun& ranks,
                                   std::uint32_t operation);
/// Timeline events for Perfetto: one track for each stream of the first rank of each class.
[[nodiscard]] std::vector<TimelineEvent> trace_events(const Workload& workload,
                                                      const WorkloadRun& run);

/// An arrow of a timeline, from one track to another.
struct TimelineArrow {
  std::string from, to;  ///< tracks
  std::string name;
  Time leaves, arrives;
};
/// Arrows between tracks: from the last operation that an operation waited for to the operation.
[[nodiscard]] std::vector<TimelineArrow> trace_arrows(const Workload& workload,
                                                      const WorkloadRun& run);

/// Returns the schedule of a collective for a group, with the algorithm that the library would
/// choose.
using ScheduleSource =
    std::function<Schedule(std::shared_ptr<const Group> group, const Collective& collective)>;

/// The workload has more operations to simulate than the limit.
class WorkloadTooLarge : public InputError {
 public:
  using InputError::InputError;
};

/// Runs a workload with rank r on gpus[r] of a cluster. Throws WorkloadTooLarge if it would
/// simulate more than `most_operations` (0: no limit).
using WorkloadRunner = std::function<WorkloadRun(
    const Workload& workload, std::span<const Rank> gpus, std::uint64_t most_operations)>;

/// A prepared workload on the GPUs of a cluster; limits as for WorkloadRunner.
struct ReadyWorkload {
  std::function<WorkloadRun(std::uint64_t most_operations)> run{};
  /// Runs with every operation at its smallest possible time. The result is a lower bound of run(),
  /// and is much cheaper if collectives share links.
  std::function<WorkloadRun(std::uint64_t most_operations)> least{};
};

/// Prepares a workload with rank r on gpus[r] of a cluster. Placement receives its simulation
/// engine in this form. The workload must outlive the result.
using WorkloadPreparer =
    std::function<ReadyWorkload(const Workload& workload, std::span<const Rank> gpus)>;

}  // namespace railyard::collectives
