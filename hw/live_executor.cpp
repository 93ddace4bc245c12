#include "hw/live_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/diagnostic.hpp"

namespace railyard::hw {

LiveExecutor::LiveExecutor(LiveBackend& backend, Repetition repetition)
    : backend_(backend), repetition_(repetition) {}

Time LiveExecutor::measured(const collectives::Task& task) {
  const LiveTask live{.collective = task.schedule->collective(), .schedule = task.schedule};
  if (const std::string why = backend_.why_not(live); !why.empty()) {
    throw InputError("", "executor",
                     fmt::format("the backend {} cannot run '{}': {}", backend_.name(),
                                 task.schedule->algorithm(), why));
  }
  Measured result = measure(backend_, live, repetition_);
  // Process 0 has the times and all check results; it broadcasts them, so that all processes
  // continue equally.
  std::string verdict;
  if (backend_.world().process() == 0) {
    std::ranges::sort(result.times);
    const Time median = result.times[(result.times.size() - 1) / 2];
    verdict = result.check.wrong == 0 ? std::to_string(median.picoseconds())
                                      : fmt::format("!{} wrong elements; {}", result.check.wrong,
                                                    result.check.first_wrong);
  }
  verdict = backend_.world().broadcast(verdict);
  if (verdict.starts_with('!')) {
    throw BackendError(fmt::format("{}: {} with '{}': {}", backend_.name(),
                                   to_text(live.collective.kind), task.schedule->algorithm(),
                                   verdict.substr(1)));
  }
  return Time::picoseconds(std::stoll(verdict));
}

collectives::Run LiveExecutor::run(std::span<const collectives::Task> tasks) {
  collectives::Run run;
  for (const collectives::Task& task : tasks) {
    if (task.start != tasks.front().start) {
      throw InputError("", "executor",
                       fmt::format("the backend {} runs tasks one after the other and does not "
                                   "support start times",
                                   backend_.name()));
    }
    run.tasks.push_back(
        {.start = task.start, .finish = task.start + measured(task), .bound_by = {}});
  }
  if (tasks.size() > 1)
    run.notes.push_back(fmt::format("{}: {} tasks, each by itself", backend_.name(), tasks.size()));
  return run;
}

}  // namespace railyard::hw
