#include "placement/serving/measured/throughput_residuals.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

ServingRun run_of(const char* group, double clients) {
  ServingRun run{.group = group};
  run.load = {.concurrency = clients, .output = 101};
  run.measured_ttft = 1;
  run.measured_tpot = 0.01;
  return run;
}

TEST(ThroughputResiduals, OnlyRunsNearTheLargestLoadOfTheirGroupCount) {
  // Two groups: of 4, 8 and 16 clients those of 8 and 16 have at least half of 16.
  const std::vector<ServingRun> runs{run_of("a", 4), run_of("a", 8), run_of("a", 16),
                                     run_of("b", 2)};
  std::vector<PredictedRun> predicted;
  // Measured 1 + 100 · 0.01 = 2 s per request; predicted 1.5 + 100 · 0.01 = 2.5 s, so the measured
  // throughput is 1.25 times the predicted one.
  for (const ServingRun& run : runs) predicted.push_back({&run, 1.5, 0.01});
  const auto residuals = high_load_residuals(predicted);
  ASSERT_EQ(residuals.size(), 3U);
  EXPECT_NEAR(residuals[0].ratio, 1.25, 1e-12);
  EXPECT_DOUBLE_EQ(residuals[0].weight, 0.5);
  EXPECT_DOUBLE_EQ(residuals[2].weight, 1);
}

}  // namespace
}  // namespace railyard::placement::serving
