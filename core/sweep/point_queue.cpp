#include "core/sweep/point_queue.hpp"

namespace railyard::core::sweep {

std::optional<std::size_t> PointQueue::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stops_ || !waiting_.empty() || held_.empty(); });
  if (stops_ || waiting_.empty()) return std::nullopt;
  const std::size_t point = waiting_.front();
  waiting_.pop_front();
  held_.insert(point);
  return point;
}

void PointQueue::finish(std::size_t point) {
  const std::lock_guard lock(mutex_);
  held_.erase(point);
  if (held_.empty()) changed_.notify_all();
}

bool PointQueue::give_back(std::size_t point) {
  const std::lock_guard lock(mutex_);
  const bool is_first = came_back_.insert(point).second;
  held_.erase(point);
  if (is_first) waiting_.push_front(point);
  changed_.notify_all();
  return is_first;
}

void PointQueue::stop() {
  const std::lock_guard lock(mutex_);
  stops_ = true;
  changed_.notify_all();
}

}  // namespace railyard::core::sweep
