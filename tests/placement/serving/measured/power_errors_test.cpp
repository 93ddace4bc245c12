#include "placement/serving/measured/power_errors.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

TEST(PowerErrors, AreByGroupAndByModel) {
  // Prompts of a second fill the window of a reading: it is the power of the prompts.
  const std::vector<PowerRun> runs{
      {.model = "m",
       .group = "m on a",
       .prompt_seconds = 1,
       .prompt_power = 0.8,
       .decode_power = 0.5},
      {.model = "m", .group = "m on b", .prompt_seconds = 1, .prompt_power = 0.5}};
  std::vector<ComparedPower> compared;
  for (const PowerRun& run : runs)
    compared.push_back({.run = &run, .predicted = {.prompt = 1, .decode = 0.6}});
  EXPECT_DOUBLE_EQ(compared[0].reading(), 1);
  EXPECT_FALSE(compared[1].decode_error_pct());
  const std::vector<PowerErrors> errors = power_errors(compared);
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].group, "all m");
  EXPECT_DOUBLE_EQ(errors[0].prompt.mean, 62.5);  // +25 and +100 %
  EXPECT_EQ(errors[0].decode.count, 1U);
  EXPECT_NEAR(errors[0].decode.bias, 20, 1e-9);
  EXPECT_EQ(errors[2].group, "m on b");
}

}  // namespace
}  // namespace railyard::placement::serving
