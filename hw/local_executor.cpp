#include "hw/local_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include "core/diagnostic.hpp"
#include "hw/reduction.hpp"
#include "hw/worker_pool.hpp"

namespace railyard::hw {
namespace {

using collectives::Run;
using collectives::Schedule;
using collectives::Task;
using Clock = std::chrono::steady_clock;

Time since(Clock::time_point begin) {
  return Time::nanoseconds(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

/// A schedule with everything that it takes to run it.
class Prepared {
 public:
  Prepared(const Schedule& schedule, std::uint64_t seed)
      : schedule_(schedule),
        program_(compile(schedule)),
        memory_(schedule, program_, seed),
        reduce_(reduction(schedule.collective().type, schedule.collective().op)),
        element_(
            static_cast<std::size_t>(collectives::size_of(schedule.collective().type).count())) {}

  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  [[nodiscard]] const LocalProgram& program() const { return program_; }
  [[nodiscard]] LocalMemory& memory() { return memory_; }

  void execute(OperationId id) {
    std::byte* arena = memory_.data();
    for (const Move& move : program_.moves_of(program_.operations[id])) {
      if (move.reduces)
        reduce_(arena + move.to, arena + move.from, move.bytes / element_);
      else
        std::memcpy(arena + move.to, arena + move.from, move.bytes);
    }
  }

 private:
  const Schedule& schedule_;
  LocalProgram program_;
  LocalMemory memory_;
  Reduction reduce_;
  std::size_t element_;
};

/// When the operations of a task began and ended, for traces.
struct Stamps {
  std::vector<Time> begin, end;
  explicit Stamps(std::size_t operations) : begin(operations), end(operations) {}
};

std::string event_name(const Prepared& task, const Operation& operation) {
  const bool reduces = std::ranges::any_of(task.program().moves_of(operation), &Move::reduces);
  const auto name = [&](collectives::Participant participant) {
    const std::uint32_t ranks = task.schedule().group().size();
    return task.schedule().is_reducer(participant) ? fmt::format("switch {}", participant - ranks)
                                                   : fmt::format("rank {}", participant);
  };
  return fmt::format("channel {}: {} to {}", operation.channel, reduces ? "reduce" : "copy",
                     name(operation.destination));
}

void add_events(const Prepared& task, const Stamps& stamps, std::string_view name, Run& run) {
  const LocalProgram& program = task.program();
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

/// Waits for the task's start and runs it; returns when it ended.
Time run_one(Prepared& task, Time start, WorkerPool& pool, Clock::time_point begin,
             Stamps* stamps) {
  std::this_thread::sleep_until(begin + std::chrono::nanoseconds(start.picoseconds() / 1000));
  pool.run([&](OperationId id) {
    if (stamps != nullptr) stamps->begin[id] = since(begin);
    task.execute(id);
    if (stamps != nullptr) stamps->end[id] = since(begin);
  });
  return since(begin);
}

}  // namespace

LocalExecutor::LocalExecutor(LocalOptions options) : options_(options) {}
LocalExecutor::~LocalExecutor() = default;

int LocalExecutor::threads_for(std::uint32_t ranks) const {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned wanted = options_.threads > 0 ? static_cast<unsigned>(options_.threads) : cores;
  return static_cast<int>(std::min(wanted, ranks));
}

Run LocalExecutor::run(std::span<const Task> tasks) {
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::vector<std::unique_ptr<WorkerPool>> pools;
  std::vector<Stamps> stamps;
  for (const Task& task : tasks) {
    auto& one = *prepared.emplace_back(std::make_unique<Prepared>(*task.schedule, options_.seed));
    one.memory().reset();
    auto& pool = *pools.emplace_back(
        std::make_unique<WorkerPool>(threads_for(task.schedule->group().size())));
    pool.prepare(one.program().graph);
    stamps.emplace_back(options_.timeline ? one.program().operations.size() : 0);
  }
  Run run;
  run.tasks.resize(tasks.size());
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    threads.emplace_back([&, i] {
      run.tasks[i].start = tasks[i].start;
      run.tasks[i].finish = run_one(*prepared[i], tasks[i].start, *pools[i], begin,
                                    options_.timeline ? &stamps[i] : nullptr);
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

Repeated LocalExecutor::repeat(const Schedule& schedule, const Repetition& repetition) {
  Prepared task(schedule, options_.seed);
  WorkerPool pool(threads_for(schedule.group().size()));
  const auto run_once = [&] {
    pool.prepare(task.program().graph);
    const Clock::time_point begin = Clock::now();
    return run_one(task, Time(), pool, begin, nullptr);
  };
  Repeated repeated;
  for (int i = 0; i < repetition.warmup + repetition.iterations; ++i) {
    task.memory().restore();
    const Time time = run_once();
    if (i >= repetition.warmup) repeated.times.push_back(time);
  }
  if (!repetition.check) return repeated;
  task.memory().reset();
  (void)run_once();
  repeated.check = task.memory().check();
  return repeated;
}

}  // namespace railyard::hw
