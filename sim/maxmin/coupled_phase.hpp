#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/coupled_levels.hpp"
#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/link_clocks.hpp"

namespace railyard::sim {

/// A phase of a simulation in which rates are levels of links (CoupledLevels) and bytes are counted
/// by link clocks (LinkClocks): a completion costs a pass over the links, and no work per stream.
/// Meanwhile, rates and loads in the table are stale; SlotState::bottleneck is current.
class CoupledPhase {
 public:
  /// The table was just filled; `saturated` as CoupledLevels::begin, `left` bytes by slot.
  CoupledPhase(FlowTable& table, std::span<const LinkIndex> saturated,
               std::span<const double> left);
  ~CoupledPhase() { table_.keep_bottlenecks(false); }
  CoupledPhase(const CoupledPhase&) = delete;
  CoupledPhase& operator=(const CoupledPhase&) = delete;

  /// Call it before a stream is erased or loses its hops.
  void release(Slot slot);
  void capacity_changed(LinkIndex link) { levels_.capacity_changed(link); }
  /// Adds pending streams with `left` bytes by slot, and computes the levels. False: the phase must
  /// end and the table be filled, because this failed or no longer pays off.
  [[nodiscard]] bool solve(std::span<const double> left, bool stay);

  [[nodiscard]] double rate(Slot slot) const;
  [[nodiscard]] double left(Slot slot) const { return clocks_.left(slot); }
  [[nodiscard]] bool knows(Slot slot) const { return table_.state[slot].bottleneck != kNoLink; }
  void advance(double seconds) { clocks_.advance(levels_.holding(), levels_.levels(), seconds); }
  [[nodiscard]] double next() const { return clocks_.next(levels_.holding(), levels_.levels()); }
  CoalescingError take_until(double first, double seconds, std::vector<Slot>& out) {
    return clocks_.take_until(levels_.holding(), levels_.levels(), first, seconds, out);
  }
  void write_rates() const { levels_.write_rates(); }

  [[nodiscard]] std::uint64_t solves() const { return solves_; }
  [[nodiscard]] std::uint64_t passes() const { return levels_.passes(); }
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  [[nodiscard]] bool is_dense() const { return levels_.is_dense(); }

 private:
  FlowTable& table_;
  CoupledLevels levels_;
  LinkClocks clocks_;
  bool is_weighted_;
  bool gave_up_ = false;
  std::uint64_t solves_ = 0;
  std::vector<Slot> fresh_;
};

}  // namespace railyard::sim
