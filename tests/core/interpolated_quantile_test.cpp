#include "core/interpolated_quantile.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace railyard::core {
namespace {

TEST(InterpolatedQuantile, IsLinearBetweenNeighbours) {
  const std::vector<double> sorted{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(interpolated_quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(interpolated_quantile(sorted, 0.5), 3);
  EXPECT_DOUBLE_EQ(interpolated_quantile(sorted, 0.9), 4 + 0.7 * 4);
  EXPECT_DOUBLE_EQ(interpolated_quantile(sorted, 1), 8);
}

TEST(InterpolatedQuantile, IsTheValueOfOneAndZeroOfNone) {
  EXPECT_DOUBLE_EQ(interpolated_quantile(std::vector<double>{5}, 0.9), 5);
  EXPECT_DOUBLE_EQ(interpolated_quantile({}, 0.5), 0);
}

}  // namespace
}  // namespace railyard::core
