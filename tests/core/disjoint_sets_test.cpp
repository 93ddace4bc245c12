#include "core/disjoint_sets.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(DisjointSets, BeginAlone) {
  DisjointSets sets(3);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(sets.find(i), i);
}

// 4-3, 2-3 and 5-1: {2, 3, 4} and {1, 5}, 0 alone; each by its smallest number.
TEST(DisjointSets, AreCalledByTheirSmallestNumber) {
  DisjointSets sets(6);
  sets.join(4, 3);
  sets.join(2, 3);
  sets.join(5, 1);
  EXPECT_EQ(sets.find(4), 2U);
  EXPECT_EQ(sets.find(3), 2U);
  EXPECT_EQ(sets.find(5), 1U);
  EXPECT_EQ(sets.find(0), 0U);
}

// 4 sets; 0-1 and 2-3 leave two, and a second 1-0 unites nothing.
TEST(DisjointSets, CountsThem) {
  DisjointSets sets(4);
  EXPECT_EQ(sets.count(), 4U);
  EXPECT_TRUE(sets.join(0, 1));
  EXPECT_TRUE(sets.join(2, 3));
  EXPECT_FALSE(sets.join(1, 0));
  EXPECT_EQ(sets.count(), 2U);
}

// A constant object is searched without changing it.
TEST(DisjointSets, AreFoundInAConstantObject) {
  DisjointSets sets(4);
  sets.join(2, 3);
  sets.join(1, 2);
  const DisjointSets& constant = sets;
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(constant.find(i), i == 0 ? 0U : 1U);
}

}  // namespace
}  // namespace railyard::core
