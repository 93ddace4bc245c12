#include "placement/serving/planner/service_timeline.hpp"

#include <gtest/gtest.h>

#include "placement/serving/step/step_power.hpp"

namespace railyard::placement::serving {
namespace {

class TimelineOfTwoReplicas : public ::testing::Test {
 protected:
  Model model = read_model("llama3_8b");
  ServingPlanRequest request{.model = model,
                             .demand = {.rate = 1, .input = 500, .output = 100},
                             .candidates = {{.cluster = "h100",
                                             .gpu = read_processor("h100_sxm"),
                                             .fabric = {.gpus_per_node = 8},
                                             .gpus = 2}}};
  ServingOption option{.cluster = "h100", .deployment = {}, .replicas = 2};
  ServiceTimeline timeline{request, option};
  std::int64_t blocks = OptionCases(request, option).decode().replica().blocks;

  /// A step of the first replica with 4 waiting and 2 running requests, and a tenth of its blocks.
  StepRecord step(double begin, double end) {
    return {.replica = 0,
            .begin = begin,
            .end = end,
            .batch = decode_batch(2, 500),
            .waiting = 4,
            .running = 2,
            .used_blocks = blocks / 10};
  }
};

TEST_F(TimelineOfTwoReplicas, AStepCountsForItsLength) {
  // One second is 100 parts of 10 ms; the other replica has none of the blocks.
  timeline.add(step(0, 1));
  const std::vector<TimelinePoint> points = timeline.points();
  ASSERT_EQ(points.size(), 100U);
  for (const TimelinePoint& point : points) {
    EXPECT_NEAR(point.waiting, 4, 1e-9);
    EXPECT_NEAR(point.batch, 2, 1e-9);
    EXPECT_NEAR(point.kv_use, 0.05, 1e-3);
    EXPECT_NEAR(point.tokens_per_s, 2, 1e-9);
  }
  // An H100 of 700 W: the idle one draws 0.289 of it (power_share), the other that of its step.
  const PlanCase one = plan_case(request, request.candidates.front(), option.deployment, 0);
  const double busy = step_power_share(model, request.candidates.front().gpu, option.deployment,
                                       one.memory, decode_batch(2, 500), 1);
  EXPECT_GT(busy, 0.289);
  EXPECT_NEAR(points.front().power, 700 * (0.289 + busy), 0.01);
}

TEST_F(TimelineOfTwoReplicas, PartsGrowWithTheRun) {
  // 4 s are more than 120 parts of 10 or 20 ms, so 100 parts of 40 ms: 25 with the first step, 50
  // with none, 25 with the second.
  timeline.add(step(0, 1));
  timeline.add(step(3, 4));
  const std::vector<TimelinePoint> points = timeline.points();
  ASSERT_EQ(points.size(), 100U);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_busy = i < 25 || i >= 75;
    EXPECT_NEAR(points[i].waiting, is_busy ? 4 : 0, 1e-6) << i;
    EXPECT_NEAR(points[i].to - points[i].from, 0.04, 1e-9) << i;
  }
}

}  // namespace
}  // namespace railyard::placement::serving
