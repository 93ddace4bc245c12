#include "core/sweep/running_sweep.hpp"

#include <algorithm>

namespace railyard::core::sweep {

RunningSweep::RunningSweep(SweepStart start)
    : keys_(std::move(start.keys)),
      store_(start.database, start.definition),
      states_(store_.match_points(keys_, start.retries)),
      order_(missing_points(start.costs, states_.is_done, start.shard)),
      points_(order_) {}

std::size_t RunningSweep::finish(std::size_t point, const Outcome& outcome) {
  try {
    store_.add(point, keys_[point], outcome);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    points_.stop();
  }
  points_.finish(point);
  const std::lock_guard lock(mutex_);
  for (const Table& table : outcome.tables) rows_ += table.rows.size();
  if (outcome.has_failed()) failures_.emplace_back(point, outcome.error);
  return rows_;
}

void RunningSweep::rethrow() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

void RunningSweep::close() {
  rethrow();
  store_.close();
}

std::vector<std::pair<std::size_t, std::string>> RunningSweep::failures() {
  const std::lock_guard lock(mutex_);
  std::ranges::sort(failures_);
  return failures_;
}

}  // namespace railyard::core::sweep
