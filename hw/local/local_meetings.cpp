#include "hw/local/local_meetings.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "core/diagnostic.hpp"

namespace railyard::hw {

LocalMeetings::LocalMeetings(const LiveLoads& loads, const World& world, const Options& options)
    : loads_(loads), world_(world), options_(options), idle_(loads.load_count()) {
  for (std::uint32_t load = 0; load < idle_.size(); ++load)
    if (loads.schedule(load) != nullptr) idle_[load].push_back(new_task(load));
}

LocalMeetings::~LocalMeetings() = default;

std::unique_ptr<LocalTask> LocalMeetings::new_task(std::uint32_t load) const {
  const collectives::Schedule& schedule = *loads_.schedule(load);
  return std::make_unique<LocalTask>(
      schedule,
      LocalTask::Options{.threads = threads_for(options_.threads, schedule.group().size()),
                         .seed = options_.seed});
}

void LocalMeetings::start(bool checks) {
  checks_ = checks;
  check_ = {};
  missing_.clear();
  for (const collectives::Meeting& meeting : loads_.meetings().meetings)
    missing_.push_back(meeting.count);
}

void LocalMeetings::arrive(std::uint32_t meeting, collectives::OperationId) {
  if (--missing_[meeting] > 0) return;
  const std::uint32_t load = loads_.load_of(meeting);
  if (loads_.schedule(load) == nullptr) {
    const Time now = world_.now();
    const std::lock_guard lock(mutex_);
    ended_.push_back({.meeting = meeting, .start = now, .end = now});
    return;
  }
  Running& its = running_[meeting];
  auto& idle = idle_[load];
  if (idle.empty()) idle.push_back(new_task(load));
  its.task = std::move(idle.back());
  idle.pop_back();
  its.thread =
      std::async(std::launch::async, [this, meeting, &task = *its.task] { run(meeting, task); });
}

/// Runs on the thread of the meeting.
void LocalMeetings::run(std::uint32_t meeting, LocalTask& task) {
  Ended ended{.meeting = meeting, .start = world_.now()};
  try {
    move(task, ended);
  } catch (...) {
    ended.failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back(std::move(ended));
  }
  has_ended_.notify_one();
}

void LocalMeetings::move(LocalTask& task, Ended& ended) const {
  if (checks_) task.memory().reset();
  task.prepare();
  task.run();
  ended.end = world_.now();
  if (checks_) ended.check = task.memory().check();
  const Time taken = ended.end - ended.start;
  if (options_.timeout == Time() || taken <= options_.timeout) return;
  throw BackendError(fmt::format("{} took {}, longer than the timeout of {}",
                                 to_text(task.schedule().collective().kind), core::to_text(taken),
                                 core::to_text(options_.timeout)));
}

std::vector<LiveEnd> LocalMeetings::wait(Time until) {
  std::vector<Ended> found;
  {
    std::unique_lock lock(mutex_);
    const auto has_some = [this] { return !ended_.empty(); };
    if (until == Time::never()) {
      has_ended_.wait(lock, has_some);
    } else {
      const Time left = std::max(Time(), until - world_.now());
      has_ended_.wait_for(lock, std::chrono::nanoseconds(left.picoseconds() / 1000), has_some);
    }
    found.swap(ended_);
  }
  std::vector<LiveEnd> all;
  for (Ended& ended : found) finish(ended, all);
  return all;
}

void LocalMeetings::finish(Ended& ended, std::vector<LiveEnd>& all) {
  if (const auto running = running_.find(ended.meeting); running != running_.end()) {
    running->second.thread.wait();
    idle_[loads_.load_of(ended.meeting)].push_back(std::move(running->second.task));
    running_.erase(running);
  }
  if (ended.failure) std::rethrow_exception(ended.failure);
  check_ += ended.check;
  for (const collectives::OperationId its : loads_.meetings().who(ended.meeting))
    all.push_back({.operation = its, .start = ended.start, .end = ended.end});
}

}  // namespace railyard::hw
