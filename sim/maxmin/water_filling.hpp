#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"
#include "sim/maxmin/level_queue.hpp"

namespace railyard::sim {

/// Fills a chosen set of streams max-min fairly into what the others leave them.
///
/// Progressive filling by links: the link with the lowest level (capacity left / weight of its
/// unfilled streams) saturates next and fixes its streams at that level. Filling a stream at level
/// s takes w·s from a link whose level is >= s, so link levels only rise: a level in the queue is a
/// lower bound, and a link is looked at again only when its turn comes (LevelQueue). O(hops of the
/// set) plus the turns of the links. Reused between solves: no allocation once warm.
class WaterFilling {
 public:
  explicit WaterFilling(const FlowTable& table)
      : work_(table.link_count()), queue_(table.link_count()) {}

  /// Starts a set that is empty.
  void begin(FlowTable& table);
  /// Adds a stream to the set (once); its present rate stops counting as load of the others.
  void add(FlowTable& table, Slot slot);
  [[nodiscard]] bool contains(const SlotState& state) const { return state.mark >= epoch_; }
  /// In force until a stream is erased.
  [[nodiscard]] std::span<const Slot> flows() const {
    return whole_ != nullptr ? whole_->live() : std::span<const Slot>(flows_);
  }
  /// The links that the set crosses.
  [[nodiscard]] std::span<const LinkIndex> links() const { return links_; }
  /// The set becomes every live stream (cheaper than adding them one by one). Nothing is kept of
  /// what they had before if all are `fresh`, without a rate.
  void add_all(FlowTable& table, bool fresh);

  /// Sets rate and bottleneck of each stream of the set; loads of the links follow. May be called
  /// again after more streams were added.
  void fill(FlowTable& table);
  /// Gives the streams of the set the rates and bottlenecks that they had before.
  void undo(FlowTable& table) const;

  /// Rate and bottleneck before of flow number `i`.
  [[nodiscard]] SlotState before(std::size_t i) const {
    return before_.empty() ? SlotState{} : before_[i];
  }
  /// The links that fill() filled up, in that order.
  [[nodiscard]] std::span<const LinkIndex> saturated() const { return saturated_; }
  /// The streams that fill() gave a rate to, hardly ever one before a slower one (rounding); a
  /// stream without hops is not among them.
  [[nodiscard]] std::span<const Slot> fixed() const { return fixed_; }
  /// Capacity that nobody uses after fill().
  [[nodiscard]] double left_over(LinkIndex link) const { return work_[link].left; }

 private:
  /// What filling reads of a link at each crossing.
  struct LinkWork {
    double left = 0;
    std::uint32_t count = 0;  ///< streams not filled yet
  };
  /// What is known of a link before filling, where the set is not all streams.
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
  /// As LevelQueue asks for it.
  template <bool kWeighted>
  [[nodiscard]] double level(LinkIndex link) const {
    const LinkWork& work = work_[link];
    if (work.count == 0) return -1;
    if constexpr (!kWeighted) return std::max(work.left, 0.0) / work.count;
    // Rounding may leave no weight of a stream that is a sliver of the link.
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
  std::vector<double> weight_;  ///< by link, of streams not filled yet; empty: all weights are 1
  std::vector<LinkSet> set_;    ///< by link, once add() was called
  LargeVector<Slot> flows_;
  const FlowTable* whole_ = nullptr;  ///< the table, where the set is all of its streams
  std::vector<SlotState> before_;
  std::vector<LinkIndex> links_;
  LevelQueue queue_;
  std::vector<LinkIndex> saturated_;
  LargeVector<Slot> fixed_;
  std::size_t unfixed_ = 0;
  std::uint32_t epoch_ = 0;  ///< SlotState::mark: epoch (in the set), epoch + 1 (in the set, fixed)
};

}  // namespace railyard::sim
