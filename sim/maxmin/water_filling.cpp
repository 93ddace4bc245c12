#include "sim/maxmin/water_filling.hpp"

#include <limits>

namespace railyard::sim {

namespace {
constexpr std::uint32_t kLastEpoch = ~std::uint32_t{0} - 4;
}  // namespace

void WaterFilling::begin(FlowTable& table) {
  if (work_.size() < table.link_count()) {
    work_.resize(table.link_count());
    queue_.grow(table.link_count());
  }
  flows_.clear();
  whole_ = nullptr;
  before_.clear();
  links_.clear();
  epoch_ += 2;
  if (epoch_ >= kLastEpoch) {  // the marks would wrap around: clear all
    for (SlotState& state : table.state) state.mark = 0;
    for (LinkSet& set : set_) set.epoch = 0;
    epoch_ = 2;
  }
}

WaterFilling::LinkSet& WaterFilling::meet(const FlowTable& table, LinkIndex link) {
  LinkSet& set = set_[link];
  if (set.epoch == epoch_) return set;
  set = {.others = table.load[link], .before = table.load[link], .epoch = epoch_};
  links_.push_back(link);
  return set;
}

void WaterFilling::add(FlowTable& table, Slot slot) {
  SlotState& state = table.state[slot];
  if (contains(state)) return;
  if (set_.size() < table.link_count()) set_.resize(table.link_count());
  flows_.push_back(slot);
  before_.push_back(state);
  state.mark = epoch_;
  const double rate = state.rate;
  const auto links = table.links(slot);
  const double* const weights = table.weights(slot);
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkSet& set = meet(table, links[i]);
    const double weight = weights != nullptr ? weights[i] : 1.0;
    set.others -= weight * rate;
    set.weight += weight;
    ++set.count;
  }
}

void WaterFilling::add_all(FlowTable& table, bool fresh) {
  if (table.live().size() * 4 < table.link_count()) {
    for (const Slot slot : table.live()) add(table, slot);
    for (const LinkIndex link : links_) set_[link].others = 0;
    return;
  }
  whole_ = &table;
  if (!fresh) {
    before_.reserve(flows().size());
    for (const Slot slot : flows()) before_.push_back(table.state[slot]);
  }
  for (LinkIndex link = 0; link < work_.size(); ++link) {
    if (!table.members(link).empty()) links_.push_back(link);
  }
}

/// Sets the remaining capacity of each link, and the weight and number of the streams to fill.
void WaterFilling::start_links(const FlowTable& table) {
  const bool weighted = table.is_weighted();
  if (weighted) weight_.resize(table.link_count());
  if (whole_ != nullptr) {
    for (const LinkIndex link : links_) {
      work_[link] = {table.capacity[link], static_cast<std::uint32_t>(table.members(link).size())};
      if (weighted) weight_[link] = 0;
    }
    if (!weighted) return;
    for (const Slot slot : flows()) {
      const auto links = table.links(slot);
      for (std::size_t i = 0; i < links.size(); ++i) weight_[links[i]] += table.weights(slot)[i];
    }
    return;
  }
  for (const LinkIndex link : links_) {
    const LinkSet& set = set_[link];
    // A rounding error of the subtraction must not leave a negative remainder.
    work_[link] = {std::max(0.0, table.capacity[link] - std::max(set.others, 0.0)), set.count};
    if (weighted) weight_[link] = set.weight;
  }
}

void WaterFilling::start_flows(FlowTable& table) {
  for (const Slot slot : flows()) {
    table.state[slot].mark = epoch_;
    if (table.links(slot).empty()) table.state[slot].rate = std::numeric_limits<double>::infinity();
  }
  unfixed_ = flows().size();
  fixed_.clear();
  fixed_.reserve(unfixed_);
}

void WaterFilling::fill(FlowTable& table) {
  saturated_.clear();
  start_links(table);
  start_flows(table);
  table.is_weighted() ? fill_by_links<true>(table) : fill_by_links<false>(table);
  for (const LinkIndex link : links_) table.load[link] = table.capacity[link] - work_[link].left;
}

template <bool kWeighted>
void WaterFilling::fill_by_links(FlowTable& table) {
  double highest = 0;
  for (const LinkIndex link : links_) highest = std::max(highest, table.capacity[link]);
  const auto level_of = [this](LinkIndex link) { return level<kWeighted>(link); };
  queue_.begin(links_, highest, level_of);
  LinkLevel lowest;
  while (unfixed_ > 0 && queue_.next(level_of, lowest)) {
    saturate<kWeighted>(table, lowest.link, lowest.level);
  }
}

void WaterFilling::undo(FlowTable& table) const {
  for (std::size_t i = 0; i < flows().size(); ++i) {
    SlotState& state = table.state[flows()[i]];
    state.rate = before_[i].rate;
    state.bottleneck = before_[i].bottleneck;
  }
  for (const LinkIndex link : links_) table.load[link] = set_[link].before;
}

template <bool kWeighted>
void WaterFilling::saturate(FlowTable& table, LinkIndex link, double level) {
  saturated_.push_back(link);
  for (const Slot slot : table.members(link)) {
    if (table.state[slot].mark == epoch_) fix<kWeighted>(table, slot, level, link);
  }
}

template <bool kWeighted>
void WaterFilling::fix(FlowTable& table, Slot slot, double level, LinkIndex by) {
  table.state[slot] = {.rate = level, .bottleneck = by, .mark = epoch_ + 1};
  fixed_.push_back(slot);
  --unfixed_;
  const auto links = table.links(slot);
  const double* const weights = kWeighted ? table.weights(slot) : nullptr;
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkWork& work = work_[links[i]];
    if constexpr (kWeighted) {
      work.left -= weights[i] * level;
      weight_[links[i]] -= weights[i];
    } else {
      work.left -= level;
    }
    --work.count;
  }
}

}  // namespace railyard::sim
