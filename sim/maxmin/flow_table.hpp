#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/huge_pages.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// A stream's place in the table; reused after the stream is erased.
using Slot = std::uint32_t;
/// A link's number.
using LinkIndex = std::uint32_t;

/// SlotState::bottleneck of a stream that nothing holds (yet).
inline constexpr LinkIndex kUnheld = ~LinkIndex{0};

/// What solving changes of a stream, together in 16 bytes because it is read together.
struct SlotState {
  double rate = 0;                 ///< B/s
  LinkIndex bottleneck = kUnheld;  ///< the saturated link on which its rate is maximal
  std::uint32_t mark = 0;          ///< WaterFilling's
};

/// Streams and links of a max-min problem as parallel arrays: by slot (streams), by link, and by
/// hop (a stream's hops are contiguous; each link lists the slots that cross it). Erasing a stream
/// takes time proportional to its hops. Per stream with 6 hops: 44 B of stream state here plus 12 B
/// a hop.
class FlowTable {
 public:
  explicit FlowTable(std::vector<double> capacities);

  /// Makes room for so many more streams and hops.
  void reserve(std::size_t streams, std::size_t hops);
  /// Adds a stream of rate 0 that is on no link's list until link_pending(). A link may appear
  /// once.
  Slot insert(std::span<const topology::Hop> hops);
  /// The same for hops with shares that count as 1.
  Slot insert_plain(std::span<const topology::Hop> hops);
  /// Appends a link that nobody crosses yet.
  LinkIndex add_link(double bytes_per_second);
  /// Takes streams off their links and frees their slots. Loads and held counts are the caller's.
  void erase(std::span<const Slot> slots);
  /// The same for streams that are all still pending.
  void erase_pending(std::span<const Slot> slots);
  /// Gives a stream other hops; it is pending again.
  void replace_hops(Slot slot, std::span<const topology::Hop> hops);
  /// Puts pending streams on the lists of their links.
  void link_pending();
  /// Gives every slot its SlotState; those of pending streams may be missing before.
  void make_states() { state.resize(slot_count()); }
  [[nodiscard]] std::span<const Slot> pending() const { return all_pending_ ? live_ : pending_; }

  [[nodiscard]] std::span<const LinkIndex> links(Slot slot) const {
    return {hop_link_.data() + hop_begin_[slot], hop_count_[slot]};
  }
  /// Parallel to links(slot); empty where all streams of the table have weight 1 everywhere.
  [[nodiscard]] const double* weights(Slot slot) const {
    return hop_weight_.empty() ? nullptr : hop_weight_.data() + hop_begin_[slot];
  }
  /// Keeps the hops over the links of a mask (by link, not 0) out of links() and the links' lists,
  /// for all streams.
  void hide(std::span<const std::uint8_t> mask);
  /// The same for pending streams, which came after that.
  void hide_pending(std::span<const std::uint8_t> mask);
  void show_all();
  /// links(slot), then the hidden ones; weights(slot) goes on alike.
  [[nodiscard]] std::span<const LinkIndex> all_links(Slot slot) const {
    return {hop_link_.data() + hop_begin_[slot], hop_count_[slot] + hidden_count(slot)};
  }
  /// The place of a link among links(slot), where it is.
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

  /// Keeps, parallel to members(), which link holds each member and its weight here: then a link
  /// can be looked at without touching its streams.
  void keep_holders(bool keep);
  [[nodiscard]] std::span<const LinkIndex> holders(LinkIndex link) const {
    return {holder_.data() + list_begin_[link], list_size_[link]};
  }
  /// Null where all weights are 1.
  [[nodiscard]] const double* holder_shares(LinkIndex link) const {
    return holder_share_.empty() ? nullptr : holder_share_.data() + list_begin_[link];
  }
  /// Changes SlotState::bottleneck and what the lists say of it.
  void set_holder(Slot slot, LinkIndex link);

  [[nodiscard]] std::span<const Slot> live() const { return live_; }
  [[nodiscard]] bool is_live(Slot slot) const {
    return slot < live_index_.size() && live_index_[slot] != kDead;
  }
  [[nodiscard]] std::size_t slot_count() const { return hop_begin_.size(); }
  [[nodiscard]] std::size_t link_count() const { return capacity.size(); }
  /// Bytes of memory that the arrays hold.
  [[nodiscard]] std::size_t memory() const;

  /// By slot; see make_states().
  LargeVector<SlotState> state;
  /// By link: B/s, the sum of weight times rate of its members, and how many it holds back.
  std::vector<double> capacity;
  std::vector<double> load;
  std::vector<std::uint32_t> held;

 private:
  static constexpr std::uint32_t kDead = ~std::uint32_t{0};

  void retire(Slot slot);
  void clear();
  /// Whether touching so many streams one by one costs more than building all lists anew.
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
  void note_holder(std::uint32_t at, Slot slot, std::uint32_t hop);
  void unlink(Slot slot);
  [[nodiscard]] std::uint32_t find_hop(Slot slot, LinkIndex link) const;

  LargeVector<std::uint32_t> hop_begin_, hop_count_, live_index_;  // by slot
  LargeVector<std::uint32_t> hidden_count_;  // by slot, where hops are hidden: behind the others
  std::vector<topology::Hop> scratch_;
  LargeVector<LinkIndex> hop_link_;          // by hop
  LargeVector<std::uint32_t> hop_position_;  // by hop: place in its link's list, once asked for
  bool has_positions_ = true;
  LargeVector<double> hop_weight_;  // by hop, or empty
  std::vector<std::uint32_t> list_begin_, list_size_,
      list_capacity_;  // by link, into member_
  LargeVector<Slot> member_;
  bool keeps_holders_ = false;
  LargeVector<LinkIndex> holder_;     // parallel to member_, if kept
  LargeVector<double> holder_share_;  // parallel to member_, if kept and weighted
  LargeVector<Slot> live_, free_, pending_;
  bool all_pending_ = true;  ///< pending_ is not kept: it would be live_
};

}  // namespace railyard::sim
