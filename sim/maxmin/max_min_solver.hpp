#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/backoff.hpp"
#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/water_filling.hpp"

namespace railyard::sim {

/// Keeps the rates of a FlowTable max-min fair while streams start and end. For links l, streams s
/// and weights w(s,l):
///
///     sum over s of w(s,l) * r(s) <= C(l),    r(s) <= cap(s),
///
/// and no rate can grow without lowering one that is smaller or equal. Rates are that solution
/// exactly if each stream runs at its cap or crosses a full link on which no stream is faster (its
/// bottleneck). Progressive filling finds it: raise all rates together, fix the streams of a link
/// when it is full, repeat (Bertsekas and Gallager, Data Networks, 1992, 6.5.2).
///
/// Example: links A of 10 and B of 4, streams a over A, b over B, c over both, weights 1. All rise
/// to 2, where B is full: b = c = 2. Then a rises to 8, where A is full. When b ends, c may have 4
/// of B, and A gives a = 6.
///
/// solve() does what the change needs: nothing (no link that lost load was a bottleneck), a local
/// repair that is proven by the bottleneck condition, or progressive filling above the slowest
/// stream that ended.
///
/// The last is exact because a link saturates at or above the rate of each stream on it: a stream
/// that ends at rate m was on no link of a level below m, so nothing below m changes
/// ("prefix stability", facts of Bertsekas and Gallager's bottleneck order).
class MaxMinSolver {
 public:
  explicit MaxMinSolver(FlowTable& table);

  /// Before a stream is erased or loses its hops: takes its load off its links.
  void release(Slot slot);
  /// Before all streams are erased together.
  void release_all();
  /// After the capacity of a link changed.
  void capacity_changed(LinkIndex link, double before);
  /// Makes the table fair again (its pending streams included). changed() tells what moved.
  void solve();
  /// Forgets all rates and finds them by one filling of every stream.
  void fill_anew();
  /// In what order the links filled up in fill_anew().
  [[nodiscard]] std::span<const LinkIndex> saturated() const { return filling_.saturated(); }
  /// In what order the streams got their rates in the last filling (WaterFilling::fixed).
  [[nodiscard]] std::span<const Slot> fixed() const { return filling_.fixed(); }
  /// Whether a local mend was tried in the last solve and led too far.
  [[nodiscard]] bool is_coupled() const { return is_coupled_; }
  [[nodiscard]] bool is_dirty() const { return dirty_; }
  void mark_dirty() { dirty_ = true; }
  void mark_clean() { dirty_ = false; }

  /// Streams whose rate may have changed in the last solve, and the state before of number `i`.
  [[nodiscard]] std::span<const Slot> changed() const { return filling_.flows(); }
  [[nodiscard]] SlotState before(std::size_t i) const { return filling_.before(i); }
  /// Whether the last solve went over most streams (a scan for the next event then beats a heap).
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
  std::uint32_t skip_local_ = 0;  ///< solves for which a local mend is not worth the try
  Backoff backoff_{256};
  Counts counts_;
};

}  // namespace railyard::sim
