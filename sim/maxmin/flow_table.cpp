#include "sim/maxmin/flow_table.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace railyard::sim {

namespace {
constexpr std::uint32_t kNotListed = ~std::uint32_t{0};
// From this number of hops on they are sorted by link, to be found by bisection.
constexpr std::uint32_t kSortedFrom = 12;
}  // namespace

FlowTable::FlowTable(std::vector<double> capacities)
    : capacity(std::move(capacities)),
      load(capacity.size(), 0.0),
      held(capacity.size(), 0),
      list_begin_(capacity.size(), 0),
      list_size_(capacity.size(), 0),
      list_capacity_(capacity.size(), 0) {}

void FlowTable::reserve(std::size_t streams, std::size_t hops) {
  for (auto* const by_slot : {&hop_begin_, &hop_count_, &live_index_, &live_})
    make_room(*by_slot, streams);
  make_room(hop_link_, hops);
}

LinkIndex FlowTable::add_link(double bytes_per_second) {
  capacity.push_back(bytes_per_second);
  load.push_back(0.0);
  held.push_back(0);
  for (auto* const by_link : {&list_begin_, &list_size_, &list_capacity_}) by_link->push_back(0);
  return static_cast<LinkIndex>(capacity.size() - 1);
}

Slot FlowTable::insert(std::span<const topology::Hop> hops) {
  const Slot slot = take_slot();
  store_hops(slot, hops, false);
  return slot;
}

Slot FlowTable::insert_plain(std::span<const topology::Hop> hops) {
  if (!free_.empty() || is_weighted() || hops.size() >= kSortedFrom) {
    const Slot slot = take_slot();
    store_hops(slot, hops, true);
    return slot;
  }
  const auto slot = static_cast<Slot>(hop_begin_.size());
  hop_begin_.push_back(static_cast<std::uint32_t>(hop_link_.size()));
  hop_count_.push_back(static_cast<std::uint32_t>(hops.size()));
  live_index_.push_back(static_cast<std::uint32_t>(live_.size()));
  live_.push_back(slot);
  if (!all_pending_) pending_.push_back(slot);
  for (const topology::Hop& hop : hops) hop_link_.push_back(hop.link.value());
  return slot;
}

Slot FlowTable::take_slot() {
  Slot slot = 0;
  if (free_.empty()) {
    slot = static_cast<Slot>(hop_begin_.size());
    hop_begin_.push_back(0);
    hop_count_.push_back(0);
    live_index_.push_back(kDead);
  } else {
    slot = free_.back();
    free_.pop_back();
    if (slot < state.size()) state[slot] = SlotState{.mark = state[slot].mark};
  }
  live_index_[slot] = static_cast<std::uint32_t>(live_.size());
  live_.push_back(slot);
  if (!all_pending_) pending_.push_back(slot);
  return slot;
}

void FlowTable::store_hops(Slot slot, std::span<const topology::Hop> hops, bool plain) {
  const auto count = static_cast<std::uint32_t>(hops.size());
  if (hop_count_[slot] + hidden_count(slot) <
      count) {  // a reused slot keeps its memory if it is large enough
    hop_begin_[slot] = static_cast<std::uint32_t>(hop_link_.size());
    hop_link_.resize(hop_link_.size() + count);
    if (is_weighted()) hop_weight_.resize(hop_link_.size(), 1.0);
  }
  hop_count_[slot] = count;
  if (slot < hidden_count_.size()) hidden_count_[slot] = 0;
  const std::uint32_t begin = hop_begin_[slot];
  LinkIndex* const links = hop_link_.data() + begin;
  for (std::uint32_t i = 0; i < count; ++i) links[i] = hops[i].link.value();
  if (begin < hop_position_.size()) std::fill_n(hop_position_.begin() + begin, count, kNotListed);
  const bool unit = plain || std::all_of(hops.begin(), hops.end(),
                                         [](const auto& hop) { return hop.share == 1.0; });
  if (!unit && !is_weighted()) hop_weight_.assign(hop_link_.size(), 1.0);
  if (is_weighted()) {
    for (std::uint32_t i = 0; i < count; ++i) hop_weight_[begin + i] = unit ? 1.0 : hops[i].share;
  }
  if (count < kSortedFrom) return;
  std::vector<topology::Hop> sorted(hops.begin(), hops.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.link < b.link; });
  for (std::uint32_t i = 0; i < count; ++i) {
    hop_link_[begin + i] = sorted[i].link.value();
    if (is_weighted()) hop_weight_[begin + i] = unit ? 1.0 : sorted[i].share;
  }
}

void FlowTable::hide(std::span<const std::uint8_t> mask) {
  link_pending();
  for (const Slot slot : live_) hide(slot, mask);
  rebuild_lists();
}

void FlowTable::hide_pending(std::span<const std::uint8_t> mask) {
  for (const Slot slot : pending()) {
    if (is_live(slot)) hide(slot, mask);
  }
}

/// Moves the hidden hops behind the others. Both keep their order.
void FlowTable::hide(Slot slot, std::span<const std::uint8_t> mask) {
  const std::uint32_t begin = hop_begin_[slot];
  const std::uint32_t count = hop_count_[slot];
  std::uint32_t kept = begin;
  scratch_.clear();
  for (std::uint32_t hop = begin; hop < begin + count; ++hop) {
    const LinkIndex link = hop_link_[hop];
    const double weight = hop_weight_.empty() ? 1.0 : hop_weight_[hop];
    if (link < mask.size() && mask[link] != 0) {
      scratch_.push_back({LinkId(link), weight});
      continue;
    }
    hop_link_[kept] = link;
    if (!hop_weight_.empty()) hop_weight_[kept] = weight;
    ++kept;
  }
  if (scratch_.empty()) return;
  hop_count_[slot] = kept - begin;
  if (hidden_count_.size() <= slot) hidden_count_.resize(slot_count(), 0);
  hidden_count_[slot] += static_cast<std::uint32_t>(scratch_.size());
  for (const topology::Hop& hop : scratch_) {
    hop_link_[kept] = hop.link.value();
    if (!hop_weight_.empty()) hop_weight_[kept] = hop.share;
    ++kept;
  }
}

void FlowTable::show_all() {
  link_pending();
  for (const Slot slot : live_) {
    const std::uint32_t hidden = hidden_count(slot);
    if (hidden == 0) continue;
    hidden_count_[slot] = 0;
    const auto links =
        std::span<const LinkIndex>(hop_link_).subspan(hop_begin_[slot], hop_count_[slot] + hidden);
    std::vector<topology::Hop> hops;
    for (std::size_t i = 0; i < links.size(); ++i)
      hops.push_back({LinkId(links[i]), hop_weight_.empty() ? 1.0 : weights(slot)[i]});
    hop_count_[slot] += hidden;
    store_hops(slot, hops, false);  // restores the sorted order of long paths
  }
  rebuild_lists();
}

bool FlowTable::pays_to_rebuild(std::size_t touched) const {
  return touched * 2 >= live_.size() && touched * 8 >= link_count();
}

void FlowTable::erase(std::span<const Slot> slots) {
  if (slots.size() == live_.size()) return clear();
  const bool rebuild = pays_to_rebuild(slots.size());
  if (!rebuild) find_positions();
  for (const Slot slot : slots) {
    if (!rebuild) unlink(slot);
    retire(slot);
  }
  if (rebuild) rebuild_lists();
}

void FlowTable::erase_pending(std::span<const Slot> slots) {
  if (slots.size() == live_.size()) return clear();
  for (const Slot slot : slots) retire(slot);
  if (!all_pending_) std::erase_if(pending_, [&](Slot slot) { return !is_live(slot); });
}

void FlowTable::clear() {
  for (auto* const list : {&hop_begin_, &hop_count_, &hidden_count_, &live_index_, &hop_link_,
                           &hop_position_, &live_, &free_, &pending_, &member_, &bottleneck_}) {
    list->clear();
  }
  for (auto* const list : {&hop_weight_, &bottleneck_weight_}) list->clear();
  state.clear();
  has_positions_ = true;
  all_pending_ = true;
  for (auto* const list : {&list_begin_, &list_size_, &list_capacity_})
    std::fill(list->begin(), list->end(), 0U);
}

void FlowTable::retire(Slot slot) {
  assert(is_live(slot));
  const std::uint32_t index = live_index_[slot];
  live_[index] = live_.back();
  live_index_[live_[index]] = index;
  live_.pop_back();
  live_index_[slot] = kDead;
  free_.push_back(slot);
}

void FlowTable::replace_hops(Slot slot, std::span<const topology::Hop> hops) {
  find_positions();
  unlink(slot);
  store_hops(slot, hops, false);
  if (all_pending_ || std::find(pending_.begin(), pending_.end(), slot) != pending_.end()) return;
  pending_.push_back(slot);
}

std::uint32_t FlowTable::find_hop(Slot slot, LinkIndex link) const {
  const std::uint32_t begin = hop_begin_[slot];
  const std::uint32_t count = hop_count_[slot];
  const LinkIndex* first = hop_link_.data() + begin;
  if (count >= kSortedFrom) {
    return begin + static_cast<std::uint32_t>(std::lower_bound(first, first + count, link) - first);
  }
  std::uint32_t i = 0;
  while (first[i] != link) ++i;
  return begin + i;
}

/// Removes a stream from the lists of its links. Requires find_positions().
void FlowTable::unlink(Slot slot) {
  const std::uint32_t begin = hop_begin_[slot];
  for (std::uint32_t hop = begin; hop < begin + hop_count_[slot]; ++hop) {
    const std::uint32_t position = hop_position_[hop];
    if (position == kNotListed) continue;
    const LinkIndex link = hop_link_[hop];
    Slot* const list = member_.data() + list_begin_[link];
    const std::uint32_t last = --list_size_[link];
    if (position != last) {
      const Slot moved = list[last];
      list[position] = moved;
      hop_position_[find_hop(moved, link)] = position;
      if (keeps_bottlenecks_)
        bottleneck_[list_begin_[link] + position] = bottleneck_[list_begin_[link] + last];
      if (!bottleneck_weight_.empty())
        bottleneck_weight_[list_begin_[link] + position] =
            bottleneck_weight_[list_begin_[link] + last];
    }
    hop_position_[hop] = kNotListed;
  }
}

void FlowTable::link_pending() {
  if (pending().empty()) return;
  make_states();
  if (pays_to_rebuild(pending().size())) {
    rebuild_lists();
  } else {
    find_positions();
    for (const Slot slot : pending()) {
      const std::uint32_t begin = hop_begin_[slot];
      // The stream was erased meanwhile, or was erased and its slot reused (then it is listed
      // twice).
      if (!is_live(slot) || (hop_count_[slot] > 0 && hop_position_[begin] != kNotListed)) continue;
      for (std::uint32_t hop = begin; hop < begin + hop_count_[slot]; ++hop) {
        append_to_list(hop_link_[hop], slot, hop);
      }
    }
  }
  all_pending_ = false;
  pending_.clear();
}

void FlowTable::append_to_list(LinkIndex link, Slot slot, std::uint32_t hop) {
  if (list_size_[link] == list_capacity_[link]) grow_list(link);
  hop_position_[hop] = list_size_[link];
  const std::uint32_t at = list_begin_[link] + list_size_[link]++;
  member_[at] = slot;
  if (keeps_bottlenecks_) note_bottleneck(at, slot, hop);
}

void FlowTable::note_bottleneck(std::uint32_t at, Slot slot, std::uint32_t hop) {
  bottleneck_[at] = state[slot].bottleneck;
  if (!bottleneck_weight_.empty()) bottleneck_weight_[at] = hop_weight_[hop];
}

void FlowTable::resize_lists(std::size_t size) {
  member_.resize(size);
  if (!keeps_bottlenecks_) return;
  bottleneck_.resize(size, kNoLink);
  if (is_weighted()) bottleneck_weight_.resize(size);
}

void FlowTable::keep_bottlenecks(bool keep) {
  keeps_bottlenecks_ = keep;
  if (!keep) {
    bottleneck_ = {};
    bottleneck_weight_ = {};
    return;
  }
  find_positions();
  resize_lists(member_.size());
  for (const Slot slot : live_) {
    const std::uint32_t begin = hop_begin_[slot];
    for (std::uint32_t hop = begin; hop < begin + hop_count_[slot]; ++hop) {
      note_bottleneck(list_begin_[hop_link_[hop]] + hop_position_[hop], slot, hop);
    }
  }
}

void FlowTable::set_bottleneck(Slot slot, LinkIndex link) {
  state[slot].bottleneck = link;
  const std::uint32_t begin = hop_begin_[slot];
  for (std::uint32_t hop = begin; hop < begin + hop_count_[slot]; ++hop) {
    bottleneck_[list_begin_[hop_link_[hop]] + hop_position_[hop]] = link;
  }
}

void FlowTable::grow_list(LinkIndex link) {
  const std::uint32_t old_begin = list_begin_[link];
  const std::uint32_t wanted = std::max(4U, list_capacity_[link] * 2);
  list_begin_[link] = static_cast<std::uint32_t>(member_.size());
  resize_lists(member_.size() + wanted);
  std::copy_n(member_.begin() + old_begin, list_size_[link], member_.begin() + list_begin_[link]);
  if (keeps_bottlenecks_)
    std::copy_n(bottleneck_.begin() + old_begin, list_size_[link],
                bottleneck_.begin() + list_begin_[link]);
  if (!bottleneck_weight_.empty()) {
    std::copy_n(bottleneck_weight_.begin() + old_begin, list_size_[link],
                bottleneck_weight_.begin() + list_begin_[link]);
  }
  list_capacity_[link] = wanted;
}

void FlowTable::rebuild_lists() {
  std::fill(list_size_.begin(), list_size_.end(), 0U);
  for (const Slot slot : live_) {
    for (const LinkIndex link : links(slot)) ++list_size_[link];
  }
  std::uint32_t begin = 0;
  for (std::size_t link = 0; link < list_size_.size(); ++link) {
    list_begin_[link] = begin;
    list_capacity_[link] = list_size_[link];
    begin += list_size_[link];
    list_size_[link] = 0;
  }
  resize_lists(begin);
  has_positions_ = keeps_bottlenecks_;
  if (keeps_bottlenecks_) hop_position_.resize(hop_link_.size(), kNotListed);
  for (const Slot slot : live_) {
    const std::uint32_t first = hop_begin_[slot];
    for (std::uint32_t hop = first; hop < first + hop_count_[slot]; ++hop) {
      const LinkIndex link = hop_link_[hop];
      if (keeps_bottlenecks_) {
        append_to_list(link, slot, hop);
      } else {
        member_[list_begin_[link] + list_size_[link]++] = slot;
      }
    }
  }
}

/// Computes hop_position_ for all hops. After the lists were rebuilt this is done at the first
/// request, because streams that all end together never need it.
void FlowTable::find_positions() {
  if (has_positions_) {
    if (hop_position_.size() < hop_link_.size()) hop_position_.resize(hop_link_.size(), kNotListed);
    return;
  }
  has_positions_ = true;
  hop_position_.assign(hop_link_.size(), kNotListed);
  for (LinkIndex link = 0; link < link_count(); ++link) {
    const auto slots = members(link);
    for (std::uint32_t i = 0; i < slots.size(); ++i) hop_position_[find_hop(slots[i], link)] = i;
  }
}

std::size_t FlowTable::memory() const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return bytes(state) + bytes(capacity) + bytes(load) + bytes(held) + bytes(hop_begin_) +
         bytes(hop_count_) + bytes(hidden_count_) + bytes(live_index_) + bytes(hop_link_) +
         bytes(hop_position_) + bytes(hop_weight_) + bytes(list_begin_) + bytes(list_size_) +
         bytes(list_capacity_) + bytes(member_) + bytes(bottleneck_) + bytes(bottleneck_weight_) +
         bytes(live_) + bytes(free_) + bytes(pending_);
}

}  // namespace railyard::sim
