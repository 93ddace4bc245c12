#include "sim/maxmin/pruning.hpp"

#include <algorithm>

namespace railyard::sim {

namespace {
// A search for links that cannot saturate costs about as much as filling all streams this many
// times.
constexpr std::uint64_t kFillingsPerLook = 16;
constexpr std::size_t kFewestStreams = 32;
}  // namespace

bool Pruning::pays(std::size_t streams, std::uint64_t filled) const {
  if (when_ != Shortcut::automatic) return when_ == Shortcut::always;
  return streams >= kFewestStreams &&
         filled - filled_before_ >= kFillingsPerLook * backoff_.wait() * streams;
}

bool Pruning::begin(FlowTable& table, std::uint64_t filled) {
  filled_before_ = filled;
  is_stale_ = false;
  redundant_.emplace(table);
  if (redundant_->count() == 0) {
    redundant_.reset();
    backoff_.fail();
    return false;
  }
  ++counts_.times;
  counts_.links += redundant_->count();
  table.hide(redundant_->mask());
  return true;
}

bool Pruning::goes_on(FlowTable& table, LinkIndex caps) {
  const auto pending = table.pending();
  const bool holds = !is_stale_ && std::all_of(pending.begin(), pending.end(), [&](Slot slot) {
    return !table.is_live(slot) || redundant_->covers(table, slot, caps);
  });
  if (holds) table.hide_pending(redundant_->mask());
  return holds;
}

void Pruning::end(FlowTable& table, std::uint64_t filled) {
  redundant_.reset();
  filled_before_ = filled;
  backoff_.fail();
  table.show_all();
}

}  // namespace railyard::sim
