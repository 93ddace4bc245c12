#include "hw/time_statistics.hpp"

#include <gtest/gtest.h>

namespace railyard::hw {
namespace {

using namespace literals;

TEST(TimeStatistics, AQuantileIsAMeasuredTime) {
  const std::vector<Time> times{4_us, 1_us, 3_us, 2_us};
  EXPECT_EQ(quantile(times, 0.5), 2_us);
  EXPECT_EQ(quantile(times, 0.51), 3_us);
  EXPECT_EQ(quantile(times, 0.99), 4_us);
  EXPECT_EQ(quantile(times, 0), 1_us);
}

TEST(TimeStatistics, OutliersAreBeyondTwiceTheMedian) {
  // The median of 1, 2, 2, 4, 5 and 90 us is 2 us (nearest rank): 5 and 90 us are above 4 us.
  EXPECT_EQ(outliers({1_us, 2_us, 2_us, 4_us, 5_us, 90_us}), 2u);
  EXPECT_EQ(outliers({3_us, 3_us, 6_us}), 0u);
  EXPECT_EQ(outliers({7_us}), 0u);
  EXPECT_EQ(outliers({}), 0u);
}

// One of ten iterations at 1 B, two of ten at 2 B and at 4 B: the first of these is the worst. Nine
// iterations do not count.
TEST(TimeStatistics, TheSizeWithMostOutliersIsTheWorst) {
  std::vector<Time> one(10, 3_us), two(10, 3_us);
  one[0] = two[0] = 9_us;
  two[1] = 7_us;
  WorstOutliers all;
  all.add(Bytes(8), std::vector<Time>{9_us, 1_us, 1_us, 1_us, 1_us, 1_us, 1_us, 1_us, 1_us});
  all.add(Bytes(16), std::vector<Time>(10, 3_us));
  EXPECT_FALSE(all.worst());
  all.add(Bytes(1), one);
  all.add(Bytes(2), two);
  all.add(Bytes(4), two);
  ASSERT_TRUE(all.worst());
  EXPECT_EQ(all.worst()->size, Bytes(2));
  EXPECT_EQ(all.worst()->count, 2U);
  EXPECT_EQ(all.worst()->iterations, 10U);
  EXPECT_EQ(all.worst()->median, 3_us);
  EXPECT_EQ(all.worst()->most, 9_us);
}

TEST(TimeStatistics, SizesAreWholeElementsOfEveryRank) {
  using collectives::Collective;
  using collectives::Kind;
  // 4-byte elements; blocks of all_gather are whole for each of 3 ranks: multiples of 12.
  EXPECT_EQ(whole_elements({.kind = Kind::all_reduce, .bytes = Bytes(1003)}, 3), Bytes(1000));
  EXPECT_EQ(whole_elements({.kind = Kind::all_gather, .bytes = Bytes(1003)}, 3), Bytes(996));
  EXPECT_EQ(whole_elements({.kind = Kind::all_gather, .bytes = Bytes(1)}, 3), Bytes(12));
}

}  // namespace
}  // namespace railyard::hw
