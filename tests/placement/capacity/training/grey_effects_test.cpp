#include "placement/capacity/training/grey_effects.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

// A slow GPU begins 1e-6 times a second (31.6 times a year), is found after 2 h, and costs the 8
// GPUs of the run 3 h: 24 GPU-hours.
TEST(GreyEffects, AreThoseOfTheProcessesOfTheRun) {
  TrainingOption option;
  option.gpus = 8;
  option.grey = {{.name = "slow GPU", .step = Time::from_seconds(1.5), .slowdown = 1.25},
                 {.name = "lost link", .why_not = "one leaf"}};
  option.goodput.causes = {{.name = "slow GPU", .interruptions = 4, .slow = 3 * 3600}};
  const std::vector<GreyProcess> processes{
      {.name = "slow GPU", .per_second = 1e-6, .slowdown = 1.25, .found = 7200}};
  const std::vector<GreyEffect> effects = grey_effects(option, processes);
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_DOUBLE_EQ(effects[0].step_s.value(), 1.5);
  EXPECT_DOUBLE_EQ(effects[0].slowdown.value(), 1.25);
  EXPECT_NEAR(effects[0].per_year.value(), 31.5576, 1e-9);
  EXPECT_DOUBLE_EQ(effects[0].found_after_h.value(), 2);
  EXPECT_DOUBLE_EQ(effects[0].found_in_run.value(), 4);
  EXPECT_DOUBLE_EQ(effects[0].wasted_gpu_hours.value(), 24);
  EXPECT_EQ(effects[1].why_not, "one leaf");
  EXPECT_FALSE(effects[1].slowdown);
}

}  // namespace
}  // namespace railyard::placement
