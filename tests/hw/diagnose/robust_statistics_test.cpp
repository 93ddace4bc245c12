#include "hw/diagnose/robust_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace railyard::hw {
namespace {

TEST(RobustStatistics, QuantilesLieBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile_of({0, 10}, 0.1), 1);
  EXPECT_DOUBLE_EQ(median_of({}), 0);
}

TEST(RobustStatistics, SpreadIgnoresHalfOfTheValues) {
  // Distances to 0 are 1, 1, 1, 100: the median is 1.
  EXPECT_DOUBLE_EQ(spread_of({-1, 1, 1, 100}, 0), 1.4826);
}

TEST(RobustStatistics, TheFastModeIsHealthyWhereMostAreSlow) {
  // Four of ten are healthy; the slow ones differ more.
  EXPECT_NEAR(fast_mode_of({0.00, 0.01, 0.00, 0.01, 0.7, 0.9, 1.1, 0.8, 1.0, 0.75}, 0.05), 0.005,
              0.006);
  // Two slow ones that agree, one healthy: nothing is faster than healthy.
  EXPECT_DOUBLE_EQ(fast_mode_of({0.0, 0.30, 0.31}, 0.05), 0);
}

TEST(RobustStatistics, StudentsDensityIsThatOfItsFormula) {
  // t4(0) = 3/8, t4(2) = 3/8 * 2^(-5/2); half of them where the scale is 2.
  EXPECT_NEAR(std::exp(log_student4(0, 1)), 0.375, 1e-12);
  EXPECT_NEAR(std::exp(log_student4(2, 1)), 0.375 * std::pow(2, -2.5), 1e-12);
  EXPECT_NEAR(std::exp(log_student4(4, 2)), 0.375 * std::pow(2, -2.5) / 2, 1e-12);
}

}  // namespace
}  // namespace railyard::hw
