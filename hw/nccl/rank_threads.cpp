#include "hw/nccl/rank_threads.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "core/diagnostic.hpp"

namespace railyard::hw::nccl {
namespace {

using Clock = std::chrono::steady_clock;

/// Time after a failure for other ranks to report errors, and for aborts to take effect.
constexpr auto kGrace = std::chrono::seconds(2);

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

}  // namespace

struct RankThreads::State {
  struct Worker {
    std::unique_ptr<GpuRank> rank;
    std::uint64_t done = 0;  ///< number of the last work done
  };

  std::vector<Worker> workers;
  std::chrono::nanoseconds timeout{};
  std::function<void(const std::string&)> fail;
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void(GpuRank&, std::size_t)> work;
  std::uint64_t number = 0;  ///< sequence number of `work`
  std::size_t at_work = 0;
  std::size_t alive = 0;
  std::exception_ptr first_error;
  bool stop = false;
  bool broken = false;

  void run(std::size_t i) {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stop || workers[i].done != number; });
      if (workers[i].done == number) break;
      const auto mine = work;
      const std::uint64_t doing = number;
      lock.unlock();
      std::exception_ptr error;
      try {
        mine(*workers[i].rank, i);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error && !first_error) first_error = error;
      workers[i].done = doing;
      --at_work;
      changed.notify_all();
    }
    --alive;
    changed.notify_all();
  }

  /// The calls in which unfinished ranks hang. A rank that waits for its GPU waits for another
  /// rank, so a rank that hangs in another call is reported first.
  [[nodiscard]] std::string hanging(std::string_view limit) const {
    const GpuRank* named = nullptr;
    std::size_t count = 0;
    for (const Worker& worker : workers) {
      if (worker.done == number) continue;
      ++count;
      const auto waits = [](const GpuRank& rank) {
        const char* call = rank.current();
        return call == nullptr || std::string_view(call).starts_with("waiting");
      };
      if (named == nullptr || (waits(*named) && !waits(*worker.rank))) named = worker.rank.get();
    }
    const char* call = named == nullptr ? nullptr : named->current();
    std::string text = named == nullptr ? "a rank"
                                        : fmt::format("host {}, rank {}", named->place().host,
                                                      named->place().rank);
    text += fmt::format(": {} did not end within {}", call == nullptr ? "its work" : call, limit);
    if (count > 1) text += fmt::format("; {} more ranks of this process wait", count - 1);
    return text;
  }
};

RankThreads::RankThreads(std::vector<std::unique_ptr<GpuRank>> ranks, Time timeout,
                         std::function<void(const std::string&)> fail)
    : state_(std::make_shared<State>()) {
  state_->fail = std::move(fail);
  state_->timeout = std::chrono::nanoseconds(timeout.picoseconds() / 1000);
  for (auto& rank : ranks) state_->workers.push_back({std::move(rank), 0});
  state_->alive = state_->workers.size();
  for (std::size_t i = 0; i < state_->workers.size(); ++i)
    std::thread([state = state_, i] { state->run(i); }).detach();
}

RankThreads::~RankThreads() {
  if (!state_->broken) {
    try {
      each([](GpuRank& rank, std::size_t) { rank.close(); });
    } catch (const std::exception&) {
      // Errors during shutdown do not matter, because the results are complete.
    }
  }
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, kGrace, [&] { return state_->alive == 0; });
}

std::size_t RankThreads::size() const { return state_->workers.size(); }
bool RankThreads::is_broken() const { return state_->broken; }
const GpuRank& RankThreads::rank(std::size_t i) const { return *state_->workers[i].rank; }

void RankThreads::each(std::function<void(GpuRank&, std::size_t)> work) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.work = std::move(work);
  state.at_work = state.workers.size();
  ++state.number;
  state.changed.notify_all();
  const auto settled = [&] { return state.at_work == 0 || state.first_error; };
  if (state.timeout.count() == 0) {
    state.changed.wait(lock, settled);
  } else {
    state.changed.wait_for(lock, state.timeout, settled);
  }
  if (state.at_work == 0 && !state.first_error) return;
  state.broken = true;
  if (!state.first_error) {
    const Time limit = Time::nanoseconds(state.timeout.count());
    state.first_error = std::make_exception_ptr(BackendError(state.hanging(core::to_text(limit))));
  }
  const std::exception_ptr error = state.first_error;
  // An abort may itself hang, so it runs on a separate thread.
  std::thread([shared = state_] {
    for (State::Worker& worker : shared->workers) worker.rank->abort();
  }).detach();
  const bool ended = state.changed.wait_for(lock, kGrace, [&] { return state.at_work == 0; });
  if (!ended && state.fail) state.fail(text_of(error));
  std::rethrow_exception(error);
}

}  // namespace railyard::hw::nccl
