#include "collectives/workload/workload_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace railyard::collectives {
namespace {

/// A change in the number of running operations by type.
struct Change {
  Time at{};
  std::int32_t computing = 0, communicating = 0, other = 0;
  std::int32_t waiting = 0;  ///< communication that waits for a rank
};

std::vector<Change> changes_of(const Program& program, const RankClassRun& ranks) {
  std::vector<Change> changes;
  const auto span = [&](Time begin, Time end, Change change) {
    if (end <= begin) return;
    change.at = begin;
    changes.push_back(change);
    changes.push_back(
        {end, -change.computing, -change.communicating, -change.other, -change.waiting});
  };
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const OperationRun& run = ranks.operations[i];
    const OperationKind kind = program.operations[i].kind;
    if (is_communication(kind)) {
      span(run.begin, run.start, {.waiting = 1});
      span(run.start, run.end, {.communicating = 1});
    } else {
      const bool computes = kind == OperationKind::compute;
      span(run.begin, run.end, {.computing = computes ? 1 : 0, .other = computes ? 0 : 1});
    }
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

}  // namespace

std::string_view to_text(WaitCause cause) {
  static constexpr std::array<std::string_view, 4> kNames{"none", "stream", "dependency", "peer"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::vector<std::uint32_t> WorkloadRun::class_of_ranks(std::uint32_t ranks) const {
  std::vector<std::uint32_t> of(ranks, 0);
  for (std::uint32_t c = 0; c < classes.size(); ++c)
    for (const std::uint32_t rank : classes[c].ranks) of[rank] = c;
  return of;
}

RankTimes rank_times(const Workload& workload, const RankClassRun& ranks) {
  const Program& program = workload.program_of(ranks.ranks.front());
  RankTimes times;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const OperationRun& run = ranks.operations[i];
    const OperationKind kind = program.operations[i].kind;
    if (kind == OperationKind::host) times.host += run.end - run.begin;
    if (kind == OperationKind::copy) times.copy += run.end - run.begin;
    if (is_communication(kind))
      times.link_wait += std::max(Time(), run.end - run.start - run.alone);
  }
  Change now{};
  for (const Change& change : changes_of(program, ranks)) {
    const Time span = change.at - now.at;
    if (now.computing > 0) times.compute += span;
    if (now.communicating > 0) times.communication += span;
    if (now.computing == 0) {
      if (now.communicating > 0)
        times.exposed += span;
      else if (now.other == 0)
        (now.waiting > 0 ? times.peer_wait : times.idle) += span;
    }
    now.at = change.at;
    now.computing += change.computing;
    now.communicating += change.communicating;
    now.other += change.other;
    now.waiting += change.waiting;
  }
  return times;
}

std::vector<CriticalStep> critical_path(const WorkloadRun& run) {
  OperationId last;
  Time latest = Time::picoseconds(-1);
  for (std::uint32_t c = 0; c < run.classes.size(); ++c)
    for (std::uint32_t i = 0; i < run.classes[c].operations.size(); ++i)
      if (run.classes[c].operations[i].end > latest) {
        latest = run.classes[c].operations[i].end;
        last = {c, i};
      }
  std::vector<CriticalStep> path;
  Time end = latest;
  while (last.which != OperationId::kNone) {
    const OperationRun& its = run.classes[last.which].operations[last.operation];
    // After the last rank has arrived the critical path continues backwards with that rank's
    // operations.
    const Time begin = its.cause == WaitCause::peer ? its.start : its.begin;
    // Operations without a duration (a barrier, or the side of a message whose rank arrived last)
    // are left out.
    if (begin < end) path.push_back({last, its.cause, begin, end});
    end = std::min(begin, end);
    last = its.behind;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string track_of(const Workload& workload, const RankClassRun& ranks, std::uint32_t operation) {
  const std::uint32_t rank = ranks.ranks.front();
  const Program& program = workload.program_of(rank);
  const Operation& its = program.operations[operation];
  const std::string& role = workload.roles()[ranks.role].name;
  return fmt::format("rank {}{} / {}", rank, role.empty() ? "" : ", " + role,
                     its.stream != Operation::kUnordered ? program.streams[its.stream]
                                                         : std::string(to_text(its.kind)));
}

std::vector<TimelineEvent> trace_events(const Workload& workload, const WorkloadRun& run) {
  std::vector<TimelineEvent> events;
  for (const RankClassRun& ranks : run.classes) {
    const Program& program = workload.program_of(ranks.ranks.front());
    for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
      const Operation& operation = program.operations[i];
      const OperationRun& its = ranks.operations[i];
      if (its.end <= its.begin) continue;
      events.push_back({.track = track_of(workload, ranks, i),
                        .name = workload.names()[operation.name],
                        .begin = its.begin,
                        .end = its.end,
                        .bytes = operation.bytes});
    }
  }
  return events;
}

std::vector<TimelineArrow> trace_arrows(const Workload& workload, const WorkloadRun& run) {
  std::vector<TimelineArrow> arrows;
  for (const RankClassRun& ranks : run.classes) {
    for (std::uint32_t i = 0; i < ranks.operations.size(); ++i) {
      const OperationRun& its = ranks.operations[i];
      if (its.behind.which == OperationId::kNone || its.end <= its.begin) continue;
      const RankClassRun& others = run.classes[its.behind.which];
      const OperationRun& other = others.operations[its.behind.operation];
      if (other.end <= other.begin || other.begin >= its.end) continue;
      std::string from = track_of(workload, others, its.behind.operation);
      std::string to = track_of(workload, ranks, i);
      if (from == to) continue;
      // When the last rank arrives, the other ranks continue.
      const bool is_peer = its.cause == WaitCause::peer;
      const Time arrives = is_peer ? its.start : its.begin;
      arrows.push_back(
          {.from = std::move(from),
           .to = std::move(to),
           .name = std::string(to_text(its.cause)),
           .leaves = std::max(std::min(other.end, arrives), other.begin + Time::picoseconds(1)),
           .arrives = arrives});
    }
  }
  return arrows;
}

}  // namespace railyard::collectives
