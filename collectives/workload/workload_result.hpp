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

/// What an operation began behind.
enum class WaitCause : std::uint8_t {
  none,        ///< it began at time 0
  stream,      ///< the operation before it on its stream
  dependency,  ///< an operation that it depends on
  peer,        ///< a collective or message: the last rank to come to it
};
[[nodiscard]] std::string_view to_text(WaitCause cause);

/// An operation of a class of ranks: `which` of WorkloadRun::classes, and its index in the program.
struct OperationId {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t which = kNone;
  std::uint32_t operation = kNone;
  friend bool operator==(OperationId, OperationId) = default;
};

/// When an operation ran. A collective or message begins on a rank (its kernel runs and waits),
/// starts when its last rank is there, and ends on all of them at the same time.
struct OperationRun {
  Time begin = Time::never();
  Time start = Time::never();  ///< begin, but for collectives and messages
  Time end = Time::never();
  Time alone{};  ///< what it takes by itself: end - start - alone was lost to others
  WaitCause cause = WaitCause::none;
  OperationId behind{};  ///< the operation that it waited for last
};

/// Ranks of one role that do the same at the same times, and when.
struct RankClassRun {
  std::uint32_t role = 0;
  std::vector<std::uint32_t> ranks;
  std::vector<OperationRun> operations;  ///< by index in the program
  Time end{};                            ///< of its last operation
};

/// What a class of ranks spends its time on. Computation and communication may overlap.
struct RankTimes {
  Time compute{}, host{}, copy{};
  Time communication{};  ///< during which a collective or message moves bytes
  Time exposed{};        ///< of that the part without computation
  Time link_wait{};      ///< what its collectives and messages take longer than alone, together
  Time peer_wait{};      ///< nothing else runs than collectives and messages that wait for a rank
  Time idle{};           ///< nothing runs: waits for dependencies
};

/// One operation of the critical path: it began behind the one before it in the list.
struct CriticalStep {
  OperationId operation{};
  WaitCause cause = WaitCause::none;
  Time begin{};  ///< since when it is what the end waits for
  Time end{};
};

/// What came of running a workload.
struct WorkloadRun {
  Time total{};
  std::vector<RankClassRun> classes;
  std::vector<CriticalStep> critical_path;  ///< from time 0 to the end
  std::vector<LinkLoad> link_loads;         ///< links that carried something, by id
  std::vector<std::string> notes;

  /// The class of each rank.
  [[nodiscard]] std::vector<std::uint32_t> class_of_ranks(std::uint32_t ranks) const;
};

/// The times of a class of ranks.
[[nodiscard]] RankTimes rank_times(const Workload& workload, const RankClassRun& ranks);
/// The path that decided the end: from the last operation back, each time to what it waited for
/// last.
[[nodiscard]] std::vector<CriticalStep> critical_path(const WorkloadRun& run);
/// The name of the track on which a timeline shows an operation: of the first rank of a class.
[[nodiscard]] std::string track_of(const Workload& workload, const RankClassRun& ranks,
                                   std::uint32_t operation);
/// A track for each stream of the first rank of each class, for Perfetto.
[[nodiscard]] std::vector<TimelineEvent> trace_events(const Workload& workload,
                                                      const WorkloadRun& run);

/// An arrow of a timeline, from one track to another.
struct TimelineArrow {
  std::string from, to;  ///< tracks
  std::string name;
  Time leaves, arrives;
};
/// From what an operation began behind to the operation, where they are on different tracks.
[[nodiscard]] std::vector<TimelineArrow> trace_arrows(const Workload& workload,
                                                      const WorkloadRun& run);

/// Makes the schedule by which a group does a collective: what the library would choose.
using ScheduleSource =
    std::function<Schedule(std::shared_ptr<const Group> group, const Collective& collective)>;

/// A workload with more operations to simulate than its engine was allowed.
class WorkloadTooLarge : public InputError {
 public:
  using InputError::InputError;
};

/// Runs a workload whose rank r sits on gpus[r] of a cluster. With `most_operations` (0: no limit)
/// it throws WorkloadTooLarge before it simulates more.
using WorkloadRunner = std::function<WorkloadRun(
    const Workload& workload, std::span<const Rank> gpus, std::uint64_t most_operations)>;

/// A workload on the GPUs of a cluster, prepared to be run, with a limit as for WorkloadRunner.
struct ReadyWorkload {
  std::function<WorkloadRun(std::uint64_t most_operations)> run{};
  /// With every operation at its least time, which bounds run() from below and takes far less work
  /// where collectives share links.
  std::function<WorkloadRun(std::uint64_t most_operations)> least{};
};

/// Prepares a workload whose rank r sits on gpus[r] of a cluster: how placement is given an engine.
/// The workload must outlive what it returns.
using WorkloadPreparer =
    std::function<ReadyWorkload(const Workload& workload, std::span<const Rank> gpus)>;

}  // namespace railyard::collectives
