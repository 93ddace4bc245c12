#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/level_queue.hpp"

namespace railyard::sim {

/// Computes max-min fair rates of a set of streams within the capacity that all other streams
/// leave.
///
/// Progressive filling by links: the link with the lowest level (remaining capacity / weight of its
/// unfilled streams) saturates next and fixes its streams at that level. Fixing a stream at level s
/// uses w·s of links with levels >= s, so levels only increase: a level in the queue is a lower
/// bound, and a link is re-evaluated only when it is first (LevelQueue). O(hops of the set) plus
/// queue operations. Memory is reused between solves.
class WaterFilling {
 public:
  explicit WaterFilling(const FlowTable& table)
      : work_(table.link_count()), queue_(table.link_count()) {}

  /// Starts an empty set.
  void begin(FlowTable& table);
  /// Adds a stream to the set (once). Its current rate no longer counts as load of other streams.
  void add(FlowTable& table, Slot slot);
  [[nodiscard]] bool contains(const SlotState& state) const { return state.mark >= epoch_; }
  /// The streams of the set; valid until a stream is erased.
  [[nodiscard]] std::span<const Slot> flows() const {
    return whole_ != nullptr ? whole_->live() : std::span<const Slot>(flows_);
  }
  /// The links that the set crosses.
  [[nodiscard]] std::span<const LinkIndex> links() const { return links_; }
  /// Makes all live streams the set (cheaper than adding them one by one). `fresh`: they have no
  /// rates yet, so no previous states are stored.
  void add_all(FlowTable& table, bool fresh);

  /// Sets rate and bottleneck of each stream of the set, and the loads of links. Can be called
  /// again after more streams were added.
  void fill(FlowTable& table);
  /// Restores the previous rates and bottlenecks of the set.
  void undo(FlowTable& table) const;

  /// The previous rate and bottleneck of the i-th stream in flows().
  [[nodiscard]] SlotState before(std::size_t i) const {
    return before_.empty() ? SlotState{} : before_[i];
  }
  /// The links that fill() saturated, in that order.
  [[nodiscard]] std::span<const LinkIndex> saturated() const { return saturated_; }
  /// The streams that fill() fixed, by increasing rate except for rounding; without streams that
  /// have no hops.
  [[nodiscard]] std::span<const Slot> fixed() const { return fixed_; }
  /// The unused capacity of a link after fill().
  [[nodiscard]] double left_over(LinkIndex link) const { return work_[link].left; }

 private:
  /// The state of a link that filling updates at each crossing.
  struct LinkWork {
    double left = 0;
    std::uint32_t count = 0;  ///< streams not filled yet
  };
  /// The state of a link before filling, if the set is not all streams.
  struct LinkSet {
    double others = 0;  ///< load of streams outside the set
    double before = 0;  ///< load before the first fill
    double weight = 0;
    std::uint32_t count = 0;
    std::uint32_t epoch = 0;
  };
  LinkSet& meet(const FlowTable& table, LinkIndex link);
  void start_links(const FlowTable& table);
  void start_flows(FlowTable& table);
  /// The level of a link for LevelQueue.
  template <bool kWeighted>
  [[nodiscard]] double level(LinkIndex link) const {
    const LinkWork& work = work_[link];
    if (work.count == 0) return -1;
    if constexpr (!kWeighted) return std::max(work.left, 0.0) / work.count;
    // Rounding may leave no weight if a stream's weight is tiny compared with the link's.
    const double weight = weight_[link];
    return weight > 0 ? std::max(work.left, 0.0) / weight : std::numeric_limits<double>::infinity();
  }
  template <bool kWeighted>
  void fill_by_links(FlowTable& table);
  template <bool kWeighted>
  void saturate(FlowTable& table, LinkIndex link, double level);
  template <bool kWeighted>
  void fix(FlowTable& table, Slot slot, double level, LinkIndex by);

  std::vector<LinkWork> work_;
  std::vector<double> weight_;  ///< by link: weight of unfilled streams; empty: all weights are 1
  std::vector<LinkSet> set_;    ///< by link, once add() was called
  LargeVector<Slot> flows_;
  const FlowTable* whole_ = nullptr;  ///< the table, if the set is all of its streams
  std::vector<SlotState> before_;
  std::vector<LinkIndex> links_;
  LevelQueue queue_;
  std::vector<LinkIndex> saturated_;
  LargeVector<Slot> fixed_;
  std::size_t unfixed_ = 0;
  std::uint32_t epoch_ = 0;  ///< SlotState::mark: epoch (in the set), epoch + 1 (in the set, fixed)
};

}  // namespace railyard::sim
