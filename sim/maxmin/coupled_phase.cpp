#include "sim/maxmin/coupled_phase.hpp"

namespace railyard::sim {

namespace {
// After this many solves the clocks restart from zero, so that their values stay within some orders
// of magnitude of the streams' remaining bytes.
constexpr std::uint64_t kLongestPhase = 65536;
}  // namespace

CoupledPhase::CoupledPhase(FlowTable& table, std::span<const LinkIndex> saturated,
                           std::span<const double> left)
    : table_(table), levels_(table), clocks_(table), is_weighted_(table.is_weighted()) {
  levels_.begin(saturated);
  for (const Slot slot : table.live()) clocks_.start(slot, left[slot]);
}

void CoupledPhase::release(Slot slot) {
  if (!knows(slot)) return;
  clocks_.end(slot);
  levels_.release(slot);
}

bool CoupledPhase::solve(std::span<const double> left, bool stay) {
  if ((levels_.is_idle() && !stay) || ++solves_ > kLongestPhase) return false;
  if (!table_.pending().empty()) {
    if (!CoupledLevels::suits(table_) || table_.is_weighted() != is_weighted_) return false;
    fresh_.assign(table_.pending().begin(), table_.pending().end());
    levels_.admit();
    clocks_.grow();
    for (const Slot slot : fresh_) {
      if (table_.is_live(slot)) clocks_.start(slot, left[slot]);
    }
  }
  gave_up_ = !levels_.solve();
  for (const auto& move : levels_.moves()) clocks_.move(move.slot, move.from, move.to);
  return !gave_up_;
}

double CoupledPhase::rate(Slot slot) const {
  return knows(slot) ? levels_.levels()[table_.state[slot].bottleneck] : 0.0;
}

}  // namespace railyard::sim
