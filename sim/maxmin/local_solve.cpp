#include "sim/maxmin/local_solve.hpp"

#include <algorithm>
#include <limits>

namespace railyard::sim {

namespace {

// Rates with a smaller relative difference count as equal, and links with a smaller remainder as
// full. It is some orders of magnitude above the rounding error of a few thousand additions, and
// below any difference that a user could notice.
constexpr double kTolerance = 1e-9;

void add_held(FlowTable& table, WaterFilling& filling, LinkIndex link) {
  if (table.held[link] == 0) return;
  for (const Slot slot : table.members(link)) {
    if (table.state[slot].bottleneck == link) filling.add(table, slot);
  }
}

void add_seeds(FlowTable& table, WaterFilling& filling, const Changes& changes) {
  for (const LinkIndex link : changes.eased) add_held(table, filling, link);
  for (const LinkIndex link : changes.tightened) {
    for (const Slot slot : table.members(link)) filling.add(table, slot);
  }
  for (const Slot slot : changes.fresh) {
    filling.add(table, slot);
    for (const LinkIndex link : table.links(slot)) add_held(table, filling, link);
  }
}

/// Adds to the set the streams on `link` outside the set whose rates may be wrong:
/// - streams with `link` as bottleneck, if the link is not full or a faster stream crosses it;
/// - streams that are faster than some stream of the set with `link` as bottleneck.
void expand_over(FlowTable& table, WaterFilling& filling, LinkIndex link) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double fastest = 0;              // of all streams on the link
  double held_inside = kInfinity;  // slowest stream of the set whose bottleneck is this link
  double fastest_outside = 0;
  double held_outside = kInfinity;  // slowest stream outside of the set whose bottleneck is this
                                    // link
  for (const Slot slot : table.members(link)) {
    const SlotState& state = table.state[slot];
    fastest = std::max(fastest, state.rate);
    const bool is_held = state.bottleneck == link;
    if (filling.contains(state)) {
      if (is_held) held_inside = std::min(held_inside, state.rate);
    } else {
      fastest_outside = std::max(fastest_outside, state.rate);
      if (is_held) held_outside = std::min(held_outside, state.rate);
    }
  }
  const bool is_full = filling.left_over(link) <= table.capacity[link] * kTolerance;
  const bool unfair = fastest_outside > held_inside * (1 + kTolerance);
  const bool lost =
      held_outside < kInfinity && (!is_full || fastest > held_outside * (1 + kTolerance));
  if (!unfair && !lost) return;
  for (const Slot slot : table.members(link)) {
    const SlotState& state = table.state[slot];
    if (filling.contains(state)) continue;
    const bool loses =
        state.bottleneck == link && (!is_full || fastest > state.rate * (1 + kTolerance));
    if (loses || state.rate > held_inside * (1 + kTolerance)) filling.add(table, slot);
  }
}

}  // namespace

bool local_solve(FlowTable& table, WaterFilling& filling, const Changes& changes,
                 std::size_t budget) {
  filling.begin(table);
  add_seeds(table, filling, changes);
  bool filled = false;
  while (!filling.flows().empty()) {
    const std::size_t size = filling.flows().size();
    if (size > budget) {
      if (filled) filling.undo(table);
      return false;
    }
    filling.fill(table);
    filled = true;
    const std::size_t crossed = filling.links().size();
    for (std::size_t i = 0; i < crossed; ++i) expand_over(table, filling, filling.links()[i]);
    if (filling.flows().size() == size) break;
  }
  return true;
}

}  // namespace railyard::sim
