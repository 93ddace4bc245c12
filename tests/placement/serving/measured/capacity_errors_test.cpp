#include "placement/serving/measured/capacity_errors.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

TEST(CapacityErrors, AreByBenchmarkAndMachineAndOverThem) {
  const std::vector<CapacityRun> runs{
      {.benchmark = "llama Offline", .machine = "h100", .at_once = true, .measured = 100},
      {.benchmark = "llama Offline", .machine = "h100", .at_once = true, .measured = 200},
      {.benchmark = "llama Offline", .machine = "b200", .at_once = true, .measured = 150}};
  std::vector<ComparedCapacity> compared;
  for (const CapacityRun& run : runs)
    compared.push_back({.run = &run, .predicted = {.tokens_per_s = 150}});
  const std::vector<CapacityErrors> errors = capacity_errors(compared);
  ASSERT_EQ(errors.size(), 4U);  // none has a limit on its latency
  EXPECT_EQ(errors[0].group, "llama Offline b200");
  EXPECT_DOUBLE_EQ(errors[0].errors.mean, 0);
  EXPECT_EQ(errors[0].split, split_text({}));
  EXPECT_DOUBLE_EQ(errors[1].errors.mean, 37.5);  // +50 and -25 %
  EXPECT_EQ(errors[2].group, "all at once");
  EXPECT_EQ(errors[2].split, "");
  EXPECT_EQ(errors[3].group, "all");
}

}  // namespace
}  // namespace railyard::placement::serving
