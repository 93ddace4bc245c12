#include "sim/maxmin/slot_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace railyard::sim {
namespace {

std::vector<Slot> shuffled(std::size_t count, std::size_t below, unsigned seed) {
  std::vector<Slot> slots(below);
  std::iota(slots.begin(), slots.end(), 0U);
  std::shuffle(slots.begin(), slots.end(), std::mt19937(seed));
  slots.resize(count);
  return slots;
}

TEST(SlotSort, SortsFewByComparingAndManyByBits) {
  SlotSort sort;
  for (const auto& [count, below] : {std::pair<std::size_t, std::size_t>{0, 0},
                                     {1, 1},
                                     {63, 64},
                                     {64, 64},
                                     {65, 65},
                                     {65, 20000},
                                     {300, 1000},
                                     {1000, 1000},
                                     {999, 64 * 40 + 1}}) {
    auto slots = shuffled(count, below, static_cast<unsigned>(below));
    auto expected = slots;
    std::sort(expected.begin(), expected.end());
    sort(slots, below);
    EXPECT_EQ(slots, expected) << count << " below " << below;
  }
}

TEST(SortNearlySorted, SortsWhatIsNearlyInOrderAndWhatIsNot) {
  std::vector<Slot> swapped(1000);
  std::iota(swapped.begin(), swapped.end(), 0U);
  for (std::size_t i = 0; i + 2 < swapped.size(); i += 7) std::swap(swapped[i], swapped[i + 2]);
  auto backwards = shuffled(1000, 1000, 3);
  std::sort(backwards.rbegin(), backwards.rend());  // gives up insertion
  for (auto slots : {swapped, backwards, shuffled(1000, 1000, 4), std::vector<Slot>{}}) {
    auto expected = slots;
    std::sort(expected.begin(), expected.end());
    sort_nearly_sorted(slots, [](Slot a, Slot b) { return a < b; });
    EXPECT_EQ(slots, expected);
  }
}

}  // namespace
}  // namespace railyard::sim
