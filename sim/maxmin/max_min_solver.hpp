#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/backoff.hpp"
#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/water_filling.hpp"

namespace railyard::sim {

/// Maintains max-min fair rates of a FlowTable while streams start and end. For links l, streams s
/// and weights w(s,l):
///
///     sum over s of w(s,l) * r(s) <= C(l),    r(s) <= cap(s),
///
/// and no rate can increase without lowering a smaller or equal one. Rates satisfy this exactly if
/// each stream runs at its cap or crosses a full link on which no stream is faster (its
/// bottleneck). Progressive filling finds them: raise all rates together, fix the streams of a link
/// when it is full, repeat (Bertsekas and Gallager, Data Networks, 1992, 6.5.2).
///
/// Example: links A of 10 and B of 4, streams a over A, b over B, c over both, weights 1. All rise
/// to 2, where B is full: b = c = 2. Then a rises to 8, where A is full. When b ends, c rises to 4
/// and a falls to 6.
///
/// solve() uses the cheapest sufficient method: nothing (no link that lost load was a bottleneck),
/// a local repair that is proven by the bottleneck condition, or progressive filling above the
/// slowest stream that ended.
///
/// The last is exact because a link saturates at or above the rate of each stream on it: a stream
/// that ends at rate m crossed no link with a level below m, so no rate below m changes ("prefix
/// stability").
class MaxMinSolver {
 public:
  explicit MaxMinSolver(FlowTable& table);

  /// Removes the load of a stream from its links; call it before the stream is erased or loses its
  /// hops.
  void release(Slot slot);
  /// The same before all streams are erased together.
  void release_all();
  /// Call it after the capacity of a link changed.
  void capacity_changed(LinkIndex link, double before);
  /// Computes fair rates, including pending streams. changed() lists the affected streams.
  void solve();
  /// Computes all rates by one filling of every stream.
  void fill_from_scratch();
  /// The links in the order in which fill_from_scratch() saturated them.
  [[nodiscard]] std::span<const LinkIndex> saturated() const { return filling_.saturated(); }
  /// The streams in the order in which the last filling fixed their rates (WaterFilling::fixed).
  [[nodiscard]] std::span<const Slot> fixed() const { return filling_.fixed(); }
  /// Whether the last solve tried a local repair that became too large.
  [[nodiscard]] bool is_coupled() const { return is_coupled_; }
  [[nodiscard]] bool is_dirty() const { return dirty_; }
  void mark_dirty() { dirty_ = true; }
  void mark_clean() { dirty_ = false; }

  /// The streams whose rate may have changed in the last solve, and the previous state of the i-th.
  [[nodiscard]] std::span<const Slot> changed() const { return filling_.flows(); }
  [[nodiscard]] SlotState before(std::size_t i) const { return filling_.before(i); }
  /// Whether the last solve visited most streams; a scan for the next event is then faster than a
  /// heap.
  [[nodiscard]] bool was_dense() const { return was_dense_; }

  struct Counts {
    std::uint64_t unchanged = 0, local = 0, dense = 0, full = 0;
    std::uint64_t streams_filled = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  bool try_local();
  void solve_dense(bool all_fresh);
  void count_held();
  void forget_changes();

  FlowTable& table_;
  WaterFilling filling_;
  std::vector<LinkIndex> eased_, tightened_;
  std::vector<std::uint8_t> is_eased_;
  double slowest_released_ = 0;
  bool only_releases_ = true;
  bool dirty_ = false;
  bool was_dense_ = false;
  bool is_coupled_ = false;
  std::uint32_t skip_local_ = 0;  ///< number of solves without a local repair
  Backoff backoff_{256};
  Counts counts_;
};

}  // namespace railyard::sim
