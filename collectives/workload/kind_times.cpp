#include "collectives/workload/kind_times.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace railyard::collectives {
namespace {

struct Interval {
  Time begin, end;
};

/// The same points of time as disjoint intervals, ascending.
std::vector<Interval> joined(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> result;
  for (const Interval& interval : intervals) {
    if (!result.empty() && interval.begin <= result.back().end)
      result.back().end = std::max(result.back().end, interval.end);
    else
      result.push_back(interval);
  }
  return result;
}

/// The duration of the part of `intervals` outside of `others`. Both are disjoint and ascending.
Time outside(const std::vector<Interval>& intervals, const std::vector<Interval>& others) {
  Time sum;
  std::size_t other = 0;
  for (const Interval& interval : intervals) {
    sum += interval.end - interval.begin;
    while (other < others.size() && others[other].end <= interval.begin) ++other;
    for (std::size_t i = other; i < others.size() && others[i].begin < interval.end; ++i)
      sum -= std::min(others[i].end, interval.end) - std::max(others[i].begin, interval.begin);
  }
  return sum;
}

using Key = std::pair<std::string_view, std::string_view>;

Key key_of(const Workload& workload, const Operation& operation) {
  const std::string_view kind = operation.kind == OperationKind::collective
                                    ? to_text(operation.collective)
                                    : to_text(operation.kind);
  return {kind, is_communication(operation.kind)
                    ? std::string_view(workload.families()[operation.family].name)
                    : std::string_view()};
}

}  // namespace

std::vector<KindTimes> kind_times(const Workload& workload, const RankClassRun& ranks) {
  const Program& program = workload.programs()[workload.roles()[ranks.role].program];
  struct Sums {
    KindTimes times;
    std::vector<Interval> intervals;
    bool computes = false;
  };
  std::map<Key, Sums> kinds;
  std::vector<Interval> computation;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    const OperationRun& run = ranks.operations[i];
    if (run.end == Time::never()) continue;
    Sums& kind = kinds[key_of(workload, operation)];
    ++kind.times.operations;
    kind.times.bytes += operation.bytes;
    kind.times.busy += run.end - run.begin;
    kind.times.alone += run.alone;
    kind.intervals.push_back({run.begin, run.end});
    kind.computes = operation.kind == OperationKind::compute;
    if (kind.computes) computation.push_back({run.begin, run.end});
    if (!is_communication(operation.kind)) continue;
    kind.times.peer_wait += run.start - run.begin;
    kind.times.link_wait += std::max(run.end - run.start - run.alone, Time());
  }
  computation = joined(std::move(computation));
  std::vector<KindTimes> result;
  for (auto& [key, kind] : kinds) {
    kind.times.kind = key.first;
    kind.times.family = key.second;
    const std::vector<Interval> intervals = joined(std::move(kind.intervals));
    kind.times.exposed = outside(intervals, kind.computes ? std::vector<Interval>() : computation);
    result.push_back(std::move(kind.times));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const KindTimes& a, const KindTimes& b) { return a.busy > b.busy; });
  return result;
}

std::vector<PathShare> path_shares(const Workload& workload, const WorkloadRun& run) {
  const auto by_kind_and_cause = [&](const RankClassRun&, const Operation& operation,
                                     const CriticalStep& step) {
    return std::pair(key_of(workload, operation), step.cause);
  };
  std::vector<PathShare> result;
  for (const auto& [key, sum] : path_sums(workload, run, by_kind_and_cause)) {
    const auto& [kind, family] = key.first;
    result.push_back({std::string(kind), std::string(family), key.second, sum.steps, sum.time});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const PathShare& a, const PathShare& b) { return a.time > b.time; });
  return result;
}

}  // namespace railyard::collectives
