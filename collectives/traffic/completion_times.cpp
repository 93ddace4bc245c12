#include "collectives/traffic/completion_times.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/nearest_rank.hpp"

namespace railyard::collectives {

CompletionTimes completion_times(const Run& run) {
  std::vector<Time> times;
  Time begin = run.tasks.front().start, end;
  double sum = 0;
  for (const TaskResult& task : run.tasks) {
    times.push_back(task.finish - task.start);
    sum += times.back().seconds();
    begin = std::min(begin, task.start);
    end = std::max(end, task.finish);
  }
  return {.messages = times.size(),
          .total = end - begin,
          .mean = Time::picoseconds(std::llround(sum / static_cast<double>(times.size()) * 1e12)),
          .p50 = core::nearest_rank(times, 0.5),
          .p99 = core::nearest_rank(times, 0.99),
          .most = core::nearest_rank(times, 1)};
}

}  // namespace railyard::collectives
