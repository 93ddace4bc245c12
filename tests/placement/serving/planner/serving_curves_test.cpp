#include "placement/serving/planner/serving_curves.hpp"

#include <gtest/gtest.h>

#include "placement/serving/planner/serving_plan.hpp"

namespace railyard::placement::serving {
namespace {

TEST(ServingCurves, QuantilesAreTheNearestRanks) {
  // TTFTs of 1 to 100 s: a share q takes at most 100 q s.
  std::vector<Served> served;
  for (int i = 100; i >= 1; --i)
    served.push_back({.first_token = static_cast<double>(i), .last_token = 200, .output = 11});
  const auto quantiles = latency_quantiles(served);
  ASSERT_EQ(quantiles.size(), 3U * 21);
  EXPECT_EQ(quantiles[0].quantity, "ttft");
  EXPECT_DOUBLE_EQ(quantiles[0].seconds, 1);
  EXPECT_NEAR(quantiles[10].share, 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(quantiles[10].seconds, 50);
  EXPECT_DOUBLE_EQ(quantiles[20].seconds, 99);
  // TPOT from (200 - 100) / 10 up; every request ends at 200.
  EXPECT_EQ(quantiles[21].quantity, "tpot");
  EXPECT_DOUBLE_EQ(quantiles[21].seconds, 10);
  EXPECT_DOUBLE_EQ(quantiles.back().seconds, 200);
  EXPECT_TRUE(latency_quantiles(std::vector<Served>{{.shed = true}}).empty());
}

TEST(ServingCurves, LatencyGrowsWithTheLoadUpToAKnee) {
  const Model model = read_model("llama3_8b");
  const ServingPlanRequest request{
      .model = model,
      .demand = {.rate = 20, .input = 1000, .output = 100},
      .candidates = {{.cluster = "h100",
                      .gpu = read_processor("h100_sxm"),
                      .fabric = {.gpus_per_node = 8},
                      .gpus = 1}},
      .base = {.formats = {.attention = NumberFormat::fp8, .mlp = NumberFormat::fp8}},
      .most_pp = 1};
  const ServingOption best = plan_serving(request).options.front();
  const auto points = load_sweep(request, best);
  ASSERT_EQ(points.size(), 12U);
  // The tenth point is at the saturation that the plan assumes: the predicted one over 1 + margin.
  EXPECT_NEAR(points[9].rate, best.saturation() / (1 + best.margin), 1e-9);
  EXPECT_GT(points.back().ttft.p99, 2 * points.front().ttft.p99);
  int knees = 0;
  for (const LoadPoint& point : points) {
    if (!point.is_knee) continue;
    ++knees;
    EXPECT_LE(point.ttft.p99, 2 * points.front().ttft.p99);
  }
  EXPECT_EQ(knees, 1);
  double sum = 0;
  for (const StepPart& part : step_parts(request, best))
    if (part.step == "decode") sum += part.share;
  EXPECT_NEAR(sum, 1, 1e-9);
}

}  // namespace
}  // namespace railyard::placement::serving
