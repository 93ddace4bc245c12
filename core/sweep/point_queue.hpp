#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace railyard::core::sweep {

/// Deals the points of a sweep to workers, one at a time and in a given order (long ones first, so
/// that no worker is left with one at the end). A point whose worker is lost goes to another one.
/// For several threads.
class HandOut {
 public:
  explicit HandOut(std::vector<std::size_t> order) : waiting_(order.begin(), order.end()) {}

  /// The next point. Waits while others hold the last ones: they may come back. Nothing: all are
  /// finished, or stop() was called.
  [[nodiscard]] std::optional<std::size_t> next();
  /// The point is done.
  void finish(std::size_t point);
  /// The worker of the point is lost. False where it is the second one: the point is finished then,
  /// because it may be what ends its workers.
  [[nodiscard]] bool give_back(std::size_t point);
  /// Hands out no more points.
  void stop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> waiting_;
  std::set<std::size_t> held_;
  std::set<std::size_t> came_back_;
  bool stops_ = false;
};

}  // namespace railyard::core::sweep
