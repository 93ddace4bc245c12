#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sim/maxmin/coalescing_error.hpp"
#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Completions of streams that run at the levels of the links that hold them, without touching the
/// streams when levels change.
///
/// Each link has a clock that counts the bytes that one stream held there has sent (its level
/// integrated over time). A stream held by a link ends when that clock reads finish(s), a number
/// that changes only when another link comes to hold it. So a change of all levels moves one clock
/// a link, and the order of completions within a link never changes: a heap a link (the virtual
/// time of A. Demers, S. Keshav, S. Shenker, Analysis and simulation of a fair queueing algorithm,
/// 1989).
class LinkClocks {
 public:
  explicit LinkClocks(const FlowTable& table)
      : table_(table),
        clock_(table.link_count(), 0.0),
        next_(table.link_count(), kNever),
        heap_(table.link_count()) {}

  /// After the table has got more links.
  void grow();
  /// A stream, held by `SlotState::bottleneck`, has `left` bytes to send.
  void start(Slot slot, double left);
  /// Another link holds the stream now.
  void move(Slot slot, LinkIndex from, LinkIndex to);
  void end(Slot slot);
  [[nodiscard]] double left(Slot slot) const;

  /// Lets `seconds` pass at the levels given; infinite levels (of links that hold nobody) are
  /// skipped.
  void advance(std::span<const LinkIndex> links, std::span<const double> levels, double seconds);
  /// Seconds until the next completion; infinite if there will be none.
  [[nodiscard]] double next(std::span<const LinkIndex> links, std::span<const double> levels) const;
  /// Ends the streams that complete within `seconds` and appends them to `out`.
  /// The result says how much after `first` seconds they would have ended.
  CoalescingError take_until(std::span<const LinkIndex> links, std::span<const double> levels,
                             double first, double seconds, std::vector<Slot>& out);

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct Entry {
    double finish;
    Slot slot;
  };
  [[nodiscard]] double seconds_to(LinkIndex link, double level) const;
  void push(LinkIndex link, Entry entry);
  void drop_stale(LinkIndex link);
  [[nodiscard]] bool is_valid(LinkIndex link, const Entry& entry) const {
    return finish_[entry.slot] == entry.finish && table_.state[entry.slot].bottleneck == link;
  }

  const FlowTable& table_;
  std::vector<double> finish_;  ///< by slot, on the clock of the link that holds it
  std::vector<double> clock_,
      next_;                              ///< by link: bytes; the smallest finish in its heap
  std::vector<std::vector<Entry>> heap_;  ///< by link; entries that no longer hold are dropped late
};

}  // namespace railyard::sim
