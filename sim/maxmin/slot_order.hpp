#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Insertion sort for nearly sorted slots; switches to std::stable_sort after as many moves as a
/// sort takes.
template <typename Slots, typename Before>
void sort_nearly_sorted(Slots& slots, Before&& before) {
  std::size_t moves = 0;
  const std::size_t most = slots.size() * 16;
  for (std::size_t i = 1; i < slots.size(); ++i) {
    const Slot slot = slots[i];
    std::size_t at = i;
    for (; at > 0 && before(slot, slots[at - 1]); --at) slots[at] = slots[at - 1];
    slots[at] = slot;
    moves += i - at;
    if (moves > most) return std::stable_sort(slots.begin(), slots.end(), before);
  }
}

/// Sorts slots by number; for many slots with a bit set.
class SlotSort {
 public:
  /// Slots must be below `slot_count` and distinct.
  void operator()(std::vector<Slot>& slots, std::size_t slot_count) {
    constexpr std::size_t kWord = 64;
    const std::size_t words = (slot_count + kWord - 1) / kWord;
    if (slots.size() < kWord || words > slots.size() * 4) {
      std::sort(slots.begin(), slots.end());
      return;
    }
    bits_.assign(words, 0);
    for (const Slot slot : slots) bits_[slot / kWord] |= std::uint64_t{1} << slot % kWord;
    auto out = slots.begin();
    for (std::size_t word = 0; word < words; ++word) {
      for (std::uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1)
        *out++ = static_cast<Slot>(word * kWord) + static_cast<Slot>(std::countr_zero(bits));
    }
  }

 private:
  std::vector<std::uint64_t> bits_;
};

}  // namespace railyard::sim
