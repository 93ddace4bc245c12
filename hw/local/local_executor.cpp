#include "hw/local/local_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

#include "core/diagnostic.hpp"
#include "hw/local/local_task.hpp"

namespace railyard::hw {
namespace {

using collectives::Run;
using collectives::Task;
using Clock = std::chrono::steady_clock;

Time since(Clock::time_point begin) {
  return Time::nanoseconds(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

/// When the operations of a task began and ended, for traces.
struct Stamps {
  std::vector<Time> begin, end;
  explicit Stamps(std::size_t operations) : begin(operations), end(operations) {}
};

std::string event_name(const LocalTask& task, const Operation& operation) {
  const bool reduces = std::ranges::any_of(task.program().moves_of(operation), &Move::reduces);
  const auto name = [&](collectives::Participant participant) {
    const std::uint32_t ranks = task.schedule().group().size();
    return task.schedule().is_reducer(participant) ? fmt::format("switch {}", participant - ranks)
                                                   : fmt::format("rank {}", participant);
  };
  return fmt::format("channel {}: {} to {}", operation.channel, reduces ? "reduce" : "copy",
                     name(operation.destination));
}

void add_events(const LocalTask& task, const Stamps& stamps, std::string_view name, Run& run) {
  const Program& program = task.program();
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    const auto moves = program.moves_of(operation);
    const auto bytes =
        std::accumulate(moves.begin(), moves.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const Move& move) { return sum + move.bytes; });
    run.timeline.push_back(
        {.track = fmt::format("{}{}rank {}", name, name.empty() ? "" : " / ", operation.source),
         .name = event_name(task, operation),
         .begin = stamps.begin[i],
         .end = stamps.end[i],
         .bytes = Bytes(static_cast<std::int64_t>(bytes))});
  }
}

/// Waits for the task's start time and runs it. Returns the time of its end.
Time run_one(LocalTask& task, Time start, Clock::time_point begin, Stamps* stamps) {
  std::this_thread::sleep_until(begin + std::chrono::nanoseconds(start.picoseconds() / 1000));
  if (stamps == nullptr) {
    task.run();
    return since(begin);
  }
  task.run([&](OperationId id) {
    stamps->begin[id] = since(begin);
    task.execute(id);
    stamps->end[id] = since(begin);
  });
  return since(begin);
}

}  // namespace

LocalExecutor::LocalExecutor(LocalOptions options) : options_(options) {}

Run LocalExecutor::run(std::span<const Task> tasks) {
  std::vector<std::unique_ptr<LocalTask>> prepared;
  std::vector<Stamps> stamps;
  for (const Task& task : tasks) {
    auto& one = *prepared.emplace_back(std::make_unique<LocalTask>(
        *task.schedule,
        LocalTask::Options{.threads = threads_for(options_.threads, task.schedule->group().size()),
                           .seed = options_.seed}));
    one.memory().reset();
    one.prepare();
    stamps.emplace_back(options_.timeline ? one.program().operations.size() : 0);
  }
  Run run;
  run.tasks.resize(tasks.size());
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    threads.emplace_back([&, i] {
      run.tasks[i].start = tasks[i].start;
      run.tasks[i].finish =
          run_one(*prepared[i], tasks[i].start, begin, options_.timeline ? &stamps[i] : nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const CheckResult check = prepared[i]->memory().check();
    if (check.wrong != 0) {
      throw BackendError(fmt::format("local: {} with '{}': {} wrong elements; {}",
                                     to_text(tasks[i].schedule->collective().kind),
                                     tasks[i].schedule->algorithm(), check.wrong,
                                     check.first_wrong));
    }
    if (options_.timeline) add_events(*prepared[i], stamps[i], tasks[i].name, run);
  }
  return run;
}

}  // namespace railyard::hw
