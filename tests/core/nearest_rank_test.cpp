#include "core/nearest_rank.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

// k = ceil(0.5 * 4) = 2, ceil(0.51 * 4) = 3, ceil(1 * 4) = 4; a share of 0 gives the smallest.
TEST(NearestRank, IsOneOfTheValues) {
  std::vector<int> values{40, 10, 30, 20};
  EXPECT_EQ(nearest_rank(values, 0.5), 20);
  EXPECT_EQ(nearest_rank(values, 0.51), 30);
  EXPECT_EQ(nearest_rank(values, 1), 40);
  EXPECT_EQ(nearest_rank(values, 0), 10);
}

TEST(NearestRank, OfNothingIsZero) {
  std::vector<double> none;
  EXPECT_EQ(nearest_rank(none, 0.5), 0);
}

}  // namespace
}  // namespace railyard::core
