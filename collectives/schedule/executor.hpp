#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/packet_statistics.hpp"
#include "collectives/schedule/schedule.hpp"
#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// A collective to run from time `start` on, concurrently with other tasks.
struct Task {
  const Schedule* schedule = nullptr;
  Time start;
  std::string name;
};

/// What limits a task, for example the link "pod0/leaf1 -> pod0/spine3", and the fraction of the
/// task's time in which it is busy.
struct Binding {
  std::string text;        ///< empty if the executor cannot tell
  LinkId link;             ///< none() if a latency, not a link, is the limit
  double utilisation = 0;  ///< 0..1
};

struct TaskResult {
  Time start;
  Time finish;
  Binding bound_by;
};

/// The load of a link: wire bytes that crossed it, and how long it was busy.
struct LinkLoad {
  LinkId link;
  double bytes = 0;
  /// The time that these bytes need at the link's bandwidth; at most the duration of the run's
  /// tasks. Inside nodes, a run that may exceed NCCL's bandwidth uses the line rate.
  Time busy;
};

/// An event with a duration, for traces.
struct TimelineEvent {
  std::string track;  ///< "task 0 / channel 3", "rank 5"
  std::string name;
  Time begin, end;
  Bytes bytes;
};

/// The results of running tasks together.
struct Run {
  std::vector<TaskResult> tasks;        ///< in the order of the tasks
  std::vector<LinkLoad> link_loads;     ///< simulators: links with traffic, by id
  std::vector<TimelineEvent> timeline;  ///< only if requested
  std::vector<std::string> notes;       ///< solver used, merged or skipped parts, assumptions
  std::vector<std::string> caveats;     ///< what changes how the times are read; empty if nothing
  std::optional<PacketStatistics> packets;  ///< packet simulation only
};

/// The common interface of simulators and live backends.
class Executor {
 public:
  virtual ~Executor() = default;
  /// "analytic", "flow", "packet", "local", "mpi", "nccl".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Runs the tasks concurrently. Throws InputError if there is no route, and BackendError if a
  /// live backend fails.
  [[nodiscard]] virtual Run run(std::span<const Task> tasks) = 0;
};

}  // namespace railyard::collectives
