#include "placement/capacity/goodput/time_parts.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

// Of 1,000 s, 50 are checkpoints, and a GPU failure costs 100 + 20 + 30 = 150: 800 are training.
TEST(TimeParts, SumToTheElapsedTime) {
  GoodputEstimate estimate;
  estimate.elapsed.mean = 1000;
  estimate.checkpoint = 50;
  estimate.causes = {
      {.name = "gpu", .interruptions = 1, .lost = 100, .detection = 20, .restart = 30},
      {.name = "host"}};
  const std::vector<TimePart> parts = time_parts(estimate);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "training");
  EXPECT_DOUBLE_EQ(parts[0].seconds, 800);
  EXPECT_DOUBLE_EQ(parts[0].share, 0.8);
  EXPECT_FALSE(parts[0].waste);
  EXPECT_EQ(parts[1].name, "checkpoints");
  EXPECT_DOUBLE_EQ(parts[1].share, 0.05);
  EXPECT_EQ(parts[2].name, "gpu");
  EXPECT_DOUBLE_EQ(parts[2].seconds, 150);
  EXPECT_EQ(parts[2].waste->interruptions, 1);
}

}  // namespace
}  // namespace railyard::placement
