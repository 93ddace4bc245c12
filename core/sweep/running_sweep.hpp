#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/sweep/outcome.hpp"
#include "core/sweep/point_order.hpp"
#include "core/sweep/point_queue.hpp"
#include "core/sweep/store.hpp"

namespace railyard::core::sweep {

/// A sweep whose points are about to run.
struct SweepStart {
  std::string database{};        ///< file
  Definition definition{};       ///< of the sweep
  std::vector<PointKey> keys{};  ///< of all points
  std::vector<double> costs{};   ///< by point, in any unit
  Shard shard{};
  bool retries = false;  ///< run failed points again
};

/// A sweep while its points run: hands out the points of its shard that have no results, long ones
/// first, and writes their outcomes to the database. Thread-safe.
class RunningSweep {
 public:
  /// Throws InputError if the database cannot be written or belongs to another sweep.
  explicit RunningSweep(SweepStart start);

  [[nodiscard]] PointQueue& points() { return points_; }
  /// All points to run, in the order in which they are handed out.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  /// The points at the start.
  [[nodiscard]] const PointStates& states() const { return states_; }
  /// The digest of a point's inputs.
  [[nodiscard]] const std::string& digest(std::size_t point) const { return keys_[point].digest; }

  /// Writes the outcome of a point. After an error of the database no more points are handed out.
  /// Returns the number of result rows of all finished points.
  std::size_t finish(std::size_t point, const Outcome& outcome);
  /// Throws the first error of the database, if there was one.
  void rethrow();
  /// Throws as rethrow(), else completes the database.
  void close();
  /// The points that failed in this run with their errors, by number.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::string>> failures();

 private:
  std::vector<PointKey> keys_;
  Store store_;
  PointStates states_;
  std::vector<std::size_t> order_;
  PointQueue points_;
  std::mutex mutex_;
  std::vector<std::pair<std::size_t, std::string>> failures_;
  std::size_t rows_ = 0;
  std::exception_ptr error_;
};

}  // namespace railyard::core::sweep
