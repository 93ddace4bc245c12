#include "placement/serving/load/throughput_range.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

TEST(ThroughputRange, FourFifthsOfTheWeightLieWithin) {
  // Equal weights 0.1 each: a tenth lies up to 0.91, nine tenths up to 0.99.
  std::vector<ThroughputResidual> residuals;
  for (int i = 10; i >= 1; --i) residuals.push_back({.ratio = 0.90 + 0.01 * i, .weight = 0.1});
  const ThroughputRange range = range_of(residuals);
  EXPECT_DOUBLE_EQ(range.low, 0.91);
  EXPECT_DOUBLE_EQ(range.high, 0.99);
  // A twentieth of the weight at 0.5 is below the tenth that is cut off; three of them are not.
  residuals.push_back({.ratio = 0.5, .weight = 0.05});
  EXPECT_DOUBLE_EQ(range_of(residuals).low, 0.91);
  residuals.push_back({.ratio = 0.5, .weight = 0.1});
  EXPECT_DOUBLE_EQ(range_of(residuals).low, 0.5);
}

TEST(ThroughputRange, TheMarginReachesItsLowEnd) {
  // Times 25 % longer are throughput 0.8 times as high.
  EXPECT_DOUBLE_EQ((ThroughputRange{.low = 0.8, .high = 1.1}.margin()), 0.25);
}

TEST(ThroughputRange, AGpuWithoutRunsHasAWiderRange) {
  const Processor known = read_processor("h100_sxm"), unknown = read_processor("l40s");
  EXPECT_TRUE(has_measured_serving(known));
  EXPECT_FALSE(has_measured_serving(unknown));
  for (const bool experts : {false, true}) {
    const ThroughputRange a = throughput_range(known, experts),
                          b = throughput_range(unknown, experts);
    EXPECT_LE(b.low, a.low);
    EXPECT_GE(b.high, a.high);
    EXPECT_LT(a.low, 1);
  }
}

}  // namespace
}  // namespace railyard::placement::serving
