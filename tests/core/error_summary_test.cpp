#include "core/error_summary.hpp"

#include <gtest/gtest.h>

namespace railyard::core {
namespace {

TEST(ErrorSummary, OfFourErrors) {
  // |e| sorted: 1 2 5 10. Median (2 + 5) / 2, mean 18 / 4; p90 at 0.9 x 3 = 2.7, 5 + 0.7 x 5;
  // bias (5 - 10 + 2 - 1) / 4.
  const ErrorSummary summary = summarise_errors({5, -10, 2, -1});
  EXPECT_EQ(summary.count, 4u);
  EXPECT_DOUBLE_EQ(summary.median, 3.5);
  EXPECT_DOUBLE_EQ(summary.mean, 4.5);
  EXPECT_DOUBLE_EQ(summary.p90, 8.5);
  EXPECT_DOUBLE_EQ(summary.bias, -1);
}

TEST(ErrorSummary, OfOneAndOfNone) {
  const ErrorSummary one = summarise_errors({-7});
  EXPECT_DOUBLE_EQ(one.median, 7);
  EXPECT_DOUBLE_EQ(one.p90, 7);
  EXPECT_DOUBLE_EQ(one.bias, -7);
  EXPECT_EQ(summarise_errors({}).count, 0u);
}

}  // namespace
}  // namespace railyard::core
