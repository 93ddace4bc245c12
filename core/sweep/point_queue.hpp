#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace railyard::core::sweep {

/// Assigns the points of a sweep to workers, one at a time and in a given order (long ones first,
/// so that no worker runs a long one at the end). A point whose worker is lost is assigned to
/// another one. Thread-safe.
class PointQueue {
 public:
  explicit PointQueue(std::vector<std::size_t> order) : waiting_(order.begin(), order.end()) {}

  /// The next point. Waits while other workers run the last points, because these may be given
  /// back. Nothing if all are finished or stop() was called.
  [[nodiscard]] std::optional<std::size_t> next();
  /// Marks a point as done.
  void finish(std::size_t point);
  /// Call it if the worker of a point is lost. Returns false for the second lost worker of a point;
  /// the point is then finished, because it may be the cause.
  [[nodiscard]] bool give_back(std::size_t point);
  /// Stops the assignment of points.
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
