#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/maxmin/backoff.hpp"
#include "sim/maxmin/cap_links.hpp"
#include "sim/maxmin/completion_queue.hpp"
#include "sim/maxmin/coupled_phase.hpp"
#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/max_min_solver.hpp"
#include "sim/maxmin/pruning.hpp"
#include "sim/maxmin/slot_order.hpp"
#include "sim/maxmin/stream.hpp"

namespace railyard::sim {

/// The event loop of class Fluid over one FlowTable, without folding of symmetric streams.
///
/// One-solve mode: if all streams start together with equal bytes, one solve determines every
/// completion. Streams end in order of decreasing rate, and slower rates do not change (prefix
/// stability, MaxMinSolver). No stream is removed from the lists until another event happens.
///
/// Coupled mode: if local repairs become too large because streams are strongly coupled, a
/// CoupledPhase keeps the rates by link while that pays off. Rates and remaining bytes are then
/// read from it.
///
/// Units: capacity and shares of a link are divided by the first share that crossed it (for example
/// 1.04 for packet headers), so that equal shares need no stored weights.
class FluidCore {
 public:
  FluidCore(std::vector<double> capacities, FluidOptions options);
  FluidCore(const FluidCore&) = delete;
  FluidCore& operator=(const FluidCore&) = delete;

  [[nodiscard]] double now() const { return now_; }
  void reserve(std::size_t streams, std::size_t hops);
  Slot add(const Stream& stream);
  /// Converts a share of a link to its units.
  double in_unit(LinkIndex link, double share);
  void reroute(Slot slot, std::span<const topology::Hop> hops);
  void set_capacity(LinkIndex link, double bytes_per_second);
  /// As Fluid::advance; ordered by slot.
  std::span<const Slot> advance(double until);
  void solve();

  [[nodiscard]] std::size_t active() const { return table_.live().size() - next_; }
  [[nodiscard]] bool is_running(Slot slot) const;
  [[nodiscard]] double rate(Slot slot) const {
    return coupled_ ? coupled_->rate(slot) : table_.state[slot].rate;
  }
  /// Whether this is a cap of a stream or kNoLink, not a link of the network.
  [[nodiscard]] bool is_cap(LinkIndex link) const { return link >= caps_.first(); }
  [[nodiscard]] LinkIndex bottleneck(Slot slot) const { return table_.state[slot].bottleneck; }
  [[nodiscard]] double left(Slot slot) const;
  [[nodiscard]] double carried(LinkIndex link);
  [[nodiscard]] const FlowTable& table() const { return table_; }
  [[nodiscard]] const MaxMinSolver& solver() const { return solver_; }
  [[nodiscard]] std::uint64_t one_solve_batches() const { return one_solve_batches_; }
  /// Number of solves by link levels, and of passes over links in them.
  struct CoupledCounts {
    std::uint64_t solves = 0, passes = 0;
  };
  [[nodiscard]] CoupledCounts coupled_counts() const;
  [[nodiscard]] const Pruning::Counts& prunings() const { return pruning_.counts(); }
  [[nodiscard]] const CoalescingError& early() const { return early_; }

  /// For class Fluid, which may run a folded problem instead: whether all streams are new, so that
  /// nothing has been solved yet. The next functions provide their remaining bytes by slot and take
  /// back the results.
  [[nodiscard]] bool is_all_pending() const {
    return solver_.is_dirty() && table_.pending().size() == table_.live().size() &&
           !pruning_.is_on();
  }
  [[nodiscard]] std::span<const double> left_by_slot() const { return left_; }
  /// Starts to count the bytes sent by each stream.
  void start_byte_counts();
  /// Requires start_byte_counts().
  void set_progress(Slot slot, double left);
  void finish_pending(std::span<const Slot> slots);
  /// `bytes` in the units of the table.
  void add_carried(LinkIndex link, double bytes) { carried_[link] += bytes; }
  [[nodiscard]] double counted(LinkIndex link) const { return carried_[link]; }
  [[nodiscard]] double unit(LinkIndex link) const { return unit_[link]; }
  void set_now(double now) { now_ = now; }

 private:
  [[nodiscard]] std::span<const topology::Hop> with_cap(std::span<const topology::Hop> hops,
                                                        LinkIndex cap);
  void erase(std::span<const Slot> slots);
  [[nodiscard]] std::span<const topology::Hop> in_units(std::span<const topology::Hop> hops);
  [[nodiscard]] bool is_plain(std::span<const topology::Hop> hops) const;
  void record_progress(Slot slot);
  void schedule(Slot slot);
  void note_changes();
  [[nodiscard]] bool starts_together() const;
  void begin_one_solve();
  void end_one_solve();
  void end_all_of_one_solve();
  [[nodiscard]] double finish_in_one_solve(Slot slot) const;
  std::span<const Slot> advance_one_solve(double until);
  void retire(std::span<const Slot> slots);
  void release(Slot slot);
  void flush(Slot slot);
  void flush_all();
  void certify();
  void solve_apart();
  [[nodiscard]] bool calls_for_levels();
  void begin_coupled();
  void prune_coupled();
  void end_coupled();
  void leave_coupled();
  void record_all_progress() {
    for (const Slot slot : table_.live()) record_progress(slot);
  }
  void begin_pruning();
  void end_pruning();
  std::span<const Slot> advance_coupled(double until);
  void note_early(std::span<const Slot> slots);

  FlowTable table_;
  CapLinks caps_;
  MaxMinSolver solver_;
  CompletionQueue queue_;
  FluidOptions options_;
  Pruning pruning_;
  double now_ = 0;
  /// By slot: bytes left at `since`, and at the last flush. Before the first solve only left_ is
  /// filled (start_byte_counts).
  LargeVector<double> left_, since_, unflushed_;
  std::vector<double> carried_;  ///< by link, in its units
  std::vector<double> unit_;     ///< by link; 0: none crossed yet
  std::vector<topology::Hop> scratch_;
  double flushed_until_ = 0;  ///< time of the last flush of all streams
  std::vector<Slot> completed_;
  SlotSort sort_slots_;
  bool one_solve_ = false;
  double batch_begun_ = 0, batch_bytes_ = 0;  ///< one-solve mode: start and size of all streams
  LargeVector<Slot> order_;                   ///< one-solve mode: slots by finish
  bool flushed_ = false;                      ///< one-solve mode: carried() was called
  /// index in order_; earlier streams have completed, but are still on the lists
  std::size_t next_ = 0;
  std::uint64_t one_solve_batches_ = 0;
  CoalescingError early_;
  std::optional<CoupledPhase> coupled_;
  CoupledCounts coupled_counts_;  ///< of ended phases
  bool tried_pruning_ = false;    ///< whether this phase has looked for links that cannot fill
  std::uint32_t coupled_wait_ = 0;
  Backoff coupled_backoff_;
};

}  // namespace railyard::sim
