#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace railyard::core {
namespace {

/// The indices that are left, and what went wrong first (by index).
class Indices {
 public:
  explicit Indices(std::size_t count) : count_(count) {}

  /// The next index, or count() where no thread needs to go on.
  [[nodiscard]] std::size_t next() {
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    return index < failed_.load(std::memory_order_relaxed) ? std::min(index, count_) : count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  void fail(std::size_t index, std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (index >= failed_.load(std::memory_order_relaxed)) return;
    failed_.store(index, std::memory_order_relaxed);
    why_ = std::move(why);
  }
  void rethrow() const {
    if (why_) std::rethrow_exception(why_);
  }

 private:
  std::size_t count_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> failed_{std::numeric_limits<std::size_t>::max()};
  std::mutex mutex_;
  std::exception_ptr why_;
};

}  // namespace

int thread_count(int wanted) {
  if (wanted > 0) return wanted;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t count, int threads,
                  const std::function<void(std::size_t index, std::size_t worker)>& work) {
  Indices indices(count);
  const auto run = [&](std::size_t worker) {
    for (std::size_t i = indices.next(); i < count; i = indices.next()) {
      try {
        work(i, worker);
      } catch (...) {
        indices.fail(i, std::current_exception());
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t worker = 1; worker < wanted; ++worker) {
      try {
        others.emplace_back(run, worker);
      } catch (const std::system_error&) {
        break;
      }
    }
    run(0);
  }  // joins
  indices.rethrow();
}

}  // namespace railyard::core
