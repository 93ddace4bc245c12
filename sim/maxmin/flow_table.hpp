#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/huge_pages.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// The index of a stream in the table. It is reused after the stream is erased.
using Slot = std::uint32_t;
/// A link's number.
using LinkIndex = std::uint32_t;

/// SlotState::bottleneck of a stream without a bottleneck (yet).
inline constexpr LinkIndex kNoLink = ~LinkIndex{0};

/// The part of a stream's state that solving changes, stored together in 16 bytes because it is
/// read together.
struct SlotState {
  double rate = 0;                 ///< B/s
  LinkIndex bottleneck = kNoLink;  ///< the saturated link on which its rate is maximal
  std::uint32_t mark = 0;          ///< used by WaterFilling
};

/// The streams and links of a max-min problem as parallel arrays: by slot (streams), by link, and
/// by hop. The hops of a stream are contiguous, and each link lists the slots that cross it.
/// Erasing a stream takes time proportional to its hops. A stream needs 44 B plus 12 B per hop.
class FlowTable {
 public:
  explicit FlowTable(std::vector<double> capacities);

  /// Reserves memory for additional streams and hops.
  void reserve(std::size_t streams, std::size_t hops);
  /// Adds a pending stream with rate 0. link_pending() adds it to the lists of its links. A link
  /// may appear only once.
  Slot insert(std::span<const topology::Hop> hops);
  /// The same, with all shares 1.
  Slot insert_plain(std::span<const topology::Hop> hops);
  /// Appends an unused link.
  LinkIndex add_link(double bytes_per_second);
  /// Removes streams from the lists of their links and frees their slots. The caller updates loads
  /// and held counts.
  void erase(std::span<const Slot> slots);
  /// The same for streams that are all still pending.
  void erase_pending(std::span<const Slot> slots);
  /// Replaces the hops of a stream, which becomes pending.
  void replace_hops(Slot slot, std::span<const topology::Hop> hops);
  /// Adds pending streams to the lists of their links.
  void link_pending();
  /// Creates the SlotState of every slot. Before this call pending streams may have none.
  void make_states() { state.resize(slot_count()); }
  [[nodiscard]] std::span<const Slot> pending() const { return all_pending_ ? live_ : pending_; }

  [[nodiscard]] std::span<const LinkIndex> links(Slot slot) const {
    return {hop_link_.data() + hop_begin_[slot], hop_count_[slot]};
  }
  /// Parallel to links(slot); nullptr if all weights of the table are 1.
  [[nodiscard]] const double* weights(Slot slot) const {
    return hop_weight_.empty() ? nullptr : hop_weight_.data() + hop_begin_[slot];
  }
  /// Hides the links of a mask (by link, not 0): removes the hops of all streams over them from
  /// links() and from the lists of links.
  void hide(std::span<const std::uint8_t> mask);
  /// The same for the pending streams, which were added later.
  void hide_pending(std::span<const std::uint8_t> mask);
  void show_all();
  /// links(slot) followed by the hidden links; weights(slot) covers both.
  [[nodiscard]] std::span<const LinkIndex> all_links(Slot slot) const {
    return {hop_link_.data() + hop_begin_[slot], hop_count_[slot] + hidden_count(slot)};
  }
  /// The index of a link in links(slot), which must contain it.
  [[nodiscard]] std::size_t hop_of(Slot slot, LinkIndex link) const {
    return find_hop(slot, link) - hop_begin_[slot];
  }
  [[nodiscard]] bool is_weighted() const { return !hop_weight_.empty(); }

  [[nodiscard]] std::span<const Slot> members(LinkIndex link) const {
    return {member_.data() + list_begin_[link], list_size_[link]};
  }
  /// Weight of a stream on a link that it crosses.
  [[nodiscard]] double weight_on(Slot slot, LinkIndex link) const {
    return hop_weight_.empty() ? 1.0 : hop_weight_[find_hop(slot, link)];
  }

  /// Also stores, parallel to members(), the bottleneck link of each member and its weight there,
  /// so that a link can be evaluated without reading its streams.
  void keep_bottlenecks(bool keep);
  [[nodiscard]] std::span<const LinkIndex> bottlenecks(LinkIndex link) const {
    return {bottleneck_.data() + list_begin_[link], list_size_[link]};
  }
  /// nullptr if all weights are 1.
  [[nodiscard]] const double* bottleneck_weights(LinkIndex link) const {
    return bottleneck_weight_.empty() ? nullptr : bottleneck_weight_.data() + list_begin_[link];
  }
  /// Changes SlotState::bottleneck and its copies in the lists.
  void set_bottleneck(Slot slot, LinkIndex link);

  [[nodiscard]] std::span<const Slot> live() const { return live_; }
  [[nodiscard]] bool is_live(Slot slot) const {
    return slot < live_index_.size() && live_index_[slot] != kDead;
  }
  [[nodiscard]] std::size_t slot_count() const { return hop_begin_.size(); }
  [[nodiscard]] std::size_t link_count() const { return capacity.size(); }
  /// Memory of the arrays in bytes.
  [[nodiscard]] std::size_t memory() const;

  /// By slot; see make_states().
  LargeVector<SlotState> state;
  /// By link: capacity in B/s; load, the sum of weight x rate of its members; number of streams
  /// whose bottleneck it is.
  std::vector<double> capacity;
  std::vector<double> load;
  std::vector<std::uint32_t> held;

 private:
  static constexpr std::uint32_t kDead = ~std::uint32_t{0};

  void retire(Slot slot);
  void clear();
  /// Whether rebuilding all lists is cheaper than updating this many streams one by one.
  [[nodiscard]] bool pays_to_rebuild(std::size_t touched) const;
  Slot take_slot();
  void store_hops(Slot slot, std::span<const topology::Hop> hops, bool plain);
  void hide(Slot slot, std::span<const std::uint8_t> mask);
  [[nodiscard]] std::uint32_t hidden_count(Slot slot) const {
    return slot < hidden_count_.size() ? hidden_count_[slot] : 0;
  }
  void rebuild_lists();
  void find_positions();
  void append_to_list(LinkIndex link, Slot slot, std::uint32_t hop);
  void grow_list(LinkIndex link);
  void resize_lists(std::size_t size);
  void note_bottleneck(std::uint32_t at, Slot slot, std::uint32_t hop);
  void unlink(Slot slot);
  [[nodiscard]] std::uint32_t find_hop(Slot slot, LinkIndex link) const;

  LargeVector<std::uint32_t> hop_begin_, hop_count_, live_index_;  // by slot
  LargeVector<std::uint32_t> hidden_count_;  // by slot, where hops are hidden: behind the others
  std::vector<topology::Hop> scratch_;
  LargeVector<LinkIndex> hop_link_;  // by hop
  // By hop: position in its link's list; filled on demand.
  LargeVector<std::uint32_t> hop_position_;
  bool has_positions_ = true;
  LargeVector<double> hop_weight_;  // by hop, or empty
  std::vector<std::uint32_t> list_begin_, list_size_,
      list_capacity_;  // by link, into member_
  LargeVector<Slot> member_;
  bool keeps_bottlenecks_ = false;
  LargeVector<LinkIndex> bottleneck_;      // parallel to member_, if kept
  LargeVector<double> bottleneck_weight_;  // parallel to member_, if kept and weighted
  LargeVector<Slot> live_, free_, pending_;
  bool all_pending_ = true;  ///< all live streams are pending; pending_ is unused
};

}  // namespace railyard::sim
