#include "sim/maxmin/water_filling.hpp"

#include <algorithm>
#include <limits>

namespace railyard::sim {

namespace {
// std heap functions keep the largest on top; link ids break ties so that runs repeat.
constexpr auto kHigher = [](const auto& a, const auto& b) {
  return a.level != b.level ? a.level > b.level : a.link > b.link;
};
constexpr std::uint32_t kLastEpoch = ~std::uint32_t{0} - 4;
}  // namespace

void WaterFilling::begin(FlowTable& table) {
  if (work_.size() < table.link_count()) work_.resize(table.link_count());
  flows_.clear();
  whole_ = nullptr;
  before_.clear();
  links_.clear();
  epoch_ += 2;
  if (epoch_ >= kLastEpoch) {  // marks would wrap around: forget them all
    for (SlotState& state : table.state) state.mark = 0;
    for (LinkWork& work : work_) work.epoch = 0;
    epoch_ = 2;
  }
}

void WaterFilling::add(FlowTable& table, Slot slot) {
  SlotState& state = table.state[slot];
  if (contains(state)) return;
  flows_.push_back(slot);
  before_.push_back(state);
  state.mark = epoch_;
  const double rate = state.rate;
  const auto links = table.links(slot);
  const double* const weights = table.weights(slot);
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkWork& work = work_[links[i]];
    if (work.epoch != epoch_) {
      work.epoch = epoch_;
      work.others = work.before = table.load[links[i]];
      work.set_weight = 0;
      work.set_count = 0;
      links_.push_back(links[i]);
    }
    const double weight = weights != nullptr ? weights[i] : 1.0;
    work.others -= weight * rate;
    work.set_weight += weight;
    ++work.set_count;
  }
}

void WaterFilling::add_all(FlowTable& table, bool fresh) {
  if (table.live().size() * 4 < table.link_count()) {
    for (const Slot slot : table.live()) add(table, slot);
    for (const LinkIndex link : links_) work_[link].others = 0;
    return;
  }
  whole_ = &table;
  if (!fresh) before_.reserve(flows().size());
  for (const Slot slot : flows()) {
    if (!fresh) before_.push_back(table.state[slot]);
    table.state[slot].mark = epoch_;
  }
  if (!table.is_weighted()) {
    for (LinkIndex link = 0; link < work_.size(); ++link) {
      const auto count = static_cast<std::uint32_t>(table.members(link).size());
      if (count == 0) continue;
      LinkWork& work = work_[link];
      work.epoch = epoch_;
      work.others = 0;
      work.set_weight = count;
      work.set_count = count;
      links_.push_back(link);
    }
    return;
  }
  for (const Slot slot : flows()) {
    const auto links = table.links(slot);
    const double* const weights = table.weights(slot);
    for (std::size_t i = 0; i < links.size(); ++i) {
      LinkWork& work = work_[links[i]];
      if (work.epoch != epoch_) {
        work = LinkWork{};
        work.epoch = epoch_;
        links_.push_back(links[i]);
      }
      work.set_weight += weights[i];
      ++work.set_count;
    }
  }
}

void WaterFilling::build_heap() {
  heap_.clear();
  for (const LinkIndex link : links_) {
    const LinkWork& work = work_[link];
    heap_.push_back({std::max(work.left, 0.0) / work.weight, link});
  }
  std::make_heap(heap_.begin(), heap_.end(), kHigher);
}

void WaterFilling::fill(FlowTable& table) {
  for (const LinkIndex link : links_) {
    LinkWork& work = work_[link];
    // Rounding of the subtraction must not leave a sliver below zero.
    work.left = std::max(0.0, table.capacity[link] - std::max(work.others, 0.0));
    work.weight = work.set_weight;
    work.count = work.set_count;
  }
  saturated_.clear();
  for (const Slot slot : flows()) {
    table.state[slot].mark = epoch_;
    if (table.links(slot).empty()) table.state[slot].rate = std::numeric_limits<double>::infinity();
  }
  build_heap();
  unfixed_ = flows().size();
  while (!heap_.empty() && unfixed_ > 0) {
    std::pop_heap(heap_.begin(), heap_.end(), kHigher);
    const LinkIndex link = heap_.back().link;
    const double bound = heap_.back().level;
    heap_.pop_back();
    const LinkWork& work = work_[link];
    if (work.count == 0) continue;
    const double level = std::max(work.left, 0.0) / work.weight;
    if (level > bound && !heap_.empty() && level > heap_.front().level) {
      heap_.push_back({level, link});
      std::push_heap(heap_.begin(), heap_.end(), kHigher);
      continue;
    }
    saturate(table, link, level);
  }
  for (const LinkIndex link : links_) table.load[link] = table.capacity[link] - work_[link].left;
}

void WaterFilling::undo(FlowTable& table) const {
  for (std::size_t i = 0; i < flows().size(); ++i) {
    SlotState& state = table.state[flows()[i]];
    state.rate = before_[i].rate;
    state.bottleneck = before_[i].bottleneck;
  }
  for (const LinkIndex link : links_) table.load[link] = work_[link].before;
}

void WaterFilling::saturate(FlowTable& table, LinkIndex link, double level) {
  saturated_.push_back(link);
  for (const Slot slot : table.members(link)) {
    if (table.state[slot].mark == epoch_) fix(table, slot, level, link);
  }
}

void WaterFilling::fix(FlowTable& table, Slot slot, double level, LinkIndex by) {
  table.state[slot] = {.rate = level, .bottleneck = by, .mark = epoch_ + 1};
  --unfixed_;
  const auto links = table.links(slot);
  const double* const weights = table.weights(slot);
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkWork& work = work_[links[i]];
    const double weight = weights != nullptr ? weights[i] : 1.0;
    work.left -= weight * level;
    work.weight -= weight;
    --work.count;
  }
}

}  // namespace railyard::sim
