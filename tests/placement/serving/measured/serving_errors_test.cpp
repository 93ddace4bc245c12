#include "placement/serving/measured/serving_errors.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

ServingRun run_of(const char* group, double tpot, double ttft, bool has_experts = false) {
  ServingRun run{.group = group};
  run.load = {.concurrency = 8, .output = 101};
  run.has_experts = has_experts;
  run.measured_tpot = tpot;
  run.measured_ttft = ttft;
  return run;
}

TEST(ServingErrors, AreByGroupAndOverModelsWithAndWithoutExperts) {
  // Predicted 10 ms and 1 s: errors of -50 % and 0 for the TPOT; the TTFT of the second run was not
  // measured.
  const std::vector<ServingRun> runs{run_of("b", 0.02, 1), run_of("b", 0.01, 0),
                                     run_of("a", 0.01, 2, true)};
  std::vector<PredictedServing> predicted;
  for (const ServingRun& run : runs)
    predicted.push_back({.run = &run, .simulated = {.ttft = 1, .tpot = 0.01}});
  predicted[0].without_model = {.ttft = 2, .tpot = 0.03};
  const std::vector<ServingErrors> errors = serving_errors(predicted);
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].group, "a");
  EXPECT_DOUBLE_EQ(errors[0].ttft.bias, -50);
  EXPECT_EQ(errors[1].group, "b");
  EXPECT_DOUBLE_EQ(errors[1].tpot.mean, 25);
  EXPECT_EQ(errors[1].ttft.count, 1U);
  // 1 + 100 x 0.01 = 2 s per request against 1 + 100 x 0.02 = 3 s: 50 % more tokens per second.
  EXPECT_NEAR(errors[1].throughput.bias, 50, 1e-9);
  EXPECT_EQ(errors[1].without_model.count, 1U);
  EXPECT_NEAR(errors[1].without_model.bias, 50, 1e-9);
  EXPECT_NEAR(errors[1].without_model_ttft.bias, 100, 1e-9);
  EXPECT_EQ(errors[1].without_cluster.count, 0U);
  EXPECT_EQ(errors[2].group, "all dense models");
  EXPECT_EQ(errors[3].group, "all models with experts");
}

TEST(ServingErrors, RangesAreByClassWithTheGpuInTheFitAndWithout) {
  const std::vector<ServingRun> runs{run_of("a", 0.01, 1)};
  std::vector<PredictedServing> predicted{
      {.run = runs.data(), .simulated = {.ttft = 1, .tpot = 0.01}}};
  ASSERT_EQ(serving_ranges(predicted).size(), 1U);
  EXPECT_TRUE(serving_ranges(predicted).front().gpu_in_fit);
  predicted[0].without_cluster = {.ttft = 1, .tpot = 0.02};
  const std::vector<ServingRange> ranges = serving_ranges(predicted);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_FALSE(ranges[1].has_experts);
  EXPECT_FALSE(ranges[1].gpu_in_fit);
  // Measured 2 s per request, predicted 3 s.
  EXPECT_NEAR(ranges[1].range.low, 1.5, 1e-9);
}

}  // namespace
}  // namespace railyard::placement::serving
