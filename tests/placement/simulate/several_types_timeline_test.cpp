#include <gtest/gtest.h>

#include <map>

#include "placement/simulate/step_timeline.hpp"
#include "tests/placement/two_types.hpp"

namespace railyard::placement {
namespace {

Job gpt(int batch) {
  return {.name = "gpt", .model = read_model("megatron_18b"), .batch = batch, .sequence = 2048};
}

// One type and one class: pass by pass what the timeline of one type is, also where only some
// micro-batches are shown.
TEST(TimelineOfTypes, OfOneTypeIsThatOfItsStrategy) {
  TwoTypes two(gpt(64), "a100_sxm_80", "h100_sxm", 16, 8);
  const Strategy s{.tp = 8, .pp = 2, .interleave = 2, .schedule = PipelineSchedule::interleaved};
  const Strategy mixed = over(s, {{.types = {0, 0}, .replicas = 1, .micro_batches = 64}});
  const TypeContext plain{
      .job = two.job, .gpu = two.types[0].gpu, .communication = two.forms[0], .gpus_per_node = 8};
  for (const int shown : {0, 16}) {
    auto a = step_timeline(two.context(), mixed, shown), b = step_timeline(plain, s, shown);
    for (auto* events : {&a, &b})
      std::erase_if(*events, [](const StepEvent& e) { return e.micro_batch < 0; });
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].stage, b[i].stage);
      EXPECT_STREQ(a[i].what, b[i].what);
      EXPECT_EQ(a[i].begin, b[i].begin);
      EXPECT_EQ(a[i].end, b[i].end);
      EXPECT_EQ(a[i].pipeline, -1);
    }
  }
}

// Twelve micro-batches on replicas of B, four on those of A, each class at its own pace; the update
// once both have their gradients, on all stages of both at the same time.
TEST(TimelineOfTypes, EveryClassHasItsMicroBatches) {
  const TwoTypes two(gpt(16), "a100_sxm_80", "h100_sxm", 16, 8);
  const Strategy mixed =
      over({.tp = 8, .pp = 2, .dp = 2}, {{.types = {0, 0}, .replicas = 1, .micro_batches = 4},
                                         {.types = {1, 1}, .replicas = 1, .micro_batches = 12}});
  std::map<std::pair<int, std::string>, int> count;
  std::map<int, Time> done;
  Time update = Time::never();
  for (const StepEvent& e : step_timeline(two.context(), mixed)) {
    ++count[{e.pipeline, e.what}];
    if (std::string(e.what) == "optimizer") {
      EXPECT_TRUE(update == Time::never() || e.begin == update);
      update = e.begin;
    } else if (e.micro_batch >= 0 && std::string(e.what) != "send") {
      done[e.pipeline] = std::max(done[e.pipeline], e.end);
    }
  }
  EXPECT_EQ((count[{0, "F"}]), 2 * 4);
  EXPECT_EQ((count[{1, "F"}]), 2 * 12);
  EXPECT_EQ((count[{0, "gradients"}]), 2);
  EXPECT_GT(update, std::max(done[0], done[1]));
  EXPECT_NE(done[0], done[1]);
  // Of 12 six are shown, and of 4 two.
  count.clear();
  for (const StepEvent& e : step_timeline(two.context(), mixed, 7)) ++count[{e.pipeline, e.what}];
  EXPECT_EQ((count[{0, "F"}]), 2 * 2);
  EXPECT_EQ((count[{1, "F"}]), 2 * 6);
}

// Twenty-six layers on A and fourteen on B: a pass of a stage takes what its type takes for them.
TEST(TimelineOfTypes, StagesGoAtThePaceOfTheirType) {
  const TwoTypes two(gpt(8), "h100_sxm", "a100_sxm_80", 8, 8);
  const Strategy mixed = over({.tp = 8, .pp = 2, .layers = {26, 14}},
                              {{.types = {0, 1}, .replicas = 1, .micro_batches = 8}});
  const auto uses = stage_uses(two.context(), mixed, type_blocks(two.context(), mixed).blocks);
  std::map<int, Time> busy;
  for (const StepEvent& e : step_timeline(two.context(), mixed))
    if (e.micro_batch >= 0 && std::string(e.what) != "send") busy[e.stage] += e.end - e.begin;
  EXPECT_EQ(busy[0], uses[0].pass * 8);
  EXPECT_EQ(busy[1], uses[1].pass * 8);
}

}  // namespace
}  // namespace railyard::placement
