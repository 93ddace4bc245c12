#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sim/maxmin/coalescing_error.hpp"
#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Completions of streams that run at the levels of their bottleneck links, without work per stream
/// when levels change.
///
/// Each link has a clock: the bytes sent by one stream with this bottleneck, its level integrated
/// over time. A stream ends when the clock of its bottleneck reaches finish(s), which changes only
/// when its bottleneck changes. So a change of all levels updates one clock per link, and the order
/// of completions within a link is fixed: one heap per link. This is the virtual time of A. Demers,
/// S. Keshav, S. Shenker, Analysis and simulation of a fair queueing algorithm, 1989.
class LinkClocks {
 public:
  explicit LinkClocks(const FlowTable& table)
      : table_(table),
        clock_(table.link_count(), 0.0),
        next_(table.link_count(), kNever),
        heap_(table.link_count()) {}

  /// Call it after links were added to the table.
  void grow();
  /// Starts a stream with the bottleneck `SlotState::bottleneck` and `left` bytes.
  void start(Slot slot, double left);
  /// Changes the bottleneck of a stream.
  void move(Slot slot, LinkIndex from, LinkIndex to);
  void end(Slot slot);
  [[nodiscard]] double left(Slot slot) const;

  /// Advances the clocks by `seconds` at the given levels. Skips infinite levels (links that are no
  /// stream's bottleneck).
  void advance(std::span<const LinkIndex> links, std::span<const double> levels, double seconds);
  /// Seconds until the next completion; infinite if there is none.
  [[nodiscard]] double next(std::span<const LinkIndex> links, std::span<const double> levels) const;
  /// Ends the streams that complete within `seconds` and appends them to `out`. Returns the error
  /// for the streams that would have ended later than `first` seconds.
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
  std::vector<double> finish_;  ///< by slot, on the clock of its bottleneck
  std::vector<double> clock_,
      next_;                              ///< by link: bytes; the smallest finish in its heap
  std::vector<std::vector<Entry>> heap_;  ///< by link; invalid entries are removed lazily
};

}  // namespace railyard::sim
