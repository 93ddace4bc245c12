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

/// A collective to run, at a time, beside others.
struct Task {
  const Schedule* schedule = nullptr;
  Time start;
  std::string name;
};

/// What bounds a result: "pod0/leaf1 -> pod0/spine3", and how much of the time it is busy.
struct Binding {
  std::string text;        ///< empty where the executor cannot say
  LinkId link;             ///< none() where it is not a link (latency)
  double utilisation = 0;  ///< 0..1
};

struct TaskResult {
  Time start;
  Time finish;
  Binding bound_by;
};

/// Bytes that crossed a link (wire bytes), and when it was first and last busy.
struct LinkLoad {
  LinkId link;
  double bytes = 0;
  /// Bytes over what the link can carry: its bandwidth; inside nodes its line rate where the time
  /// of the run rests on more than NCCL counts. At most the time in which the run's tasks run.
  Time busy;
};

/// Something that happened over a span of time, for traces.
struct TimelineEvent {
  std::string track;  ///< "task 0 / channel 3", "rank 5"
  std::string name;
  Time begin, end;
  Bytes bytes;
};

/// What came of running tasks.
struct Run {
  std::vector<TaskResult> tasks;            ///< in the order asked
  std::vector<LinkLoad> link_loads;         ///< simulators: links that carried something, by id
  std::vector<TimelineEvent> timeline;      ///< only where it was asked for
  std::vector<std::string> notes;           ///< provenance: solver used, what was merged or skipped
  std::optional<PacketStatistics> packets;  ///< packet simulation
};

/// The plug point of simulators and live backends alike.
class Executor {
 public:
  virtual ~Executor() = default;
  /// "analytic", "flow", "packet", "local", "mpi", "nccl".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Runs the tasks together. Throws InputError (no route), BackendError (a live backend failed).
  [[nodiscard]] virtual Run run(std::span<const Task> tasks) = 0;
};

}  // namespace railyard::collectives
