#include "placement/strategy/idle_settings.hpp"

#include <gtest/gtest.h>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/scored_strategy.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

std::string idle(const Strategy& s) {
  const auto texts = idle_settings(read_job("llama3_8b"), s);
  return texts.empty() ? "" : texts.front();
}

TEST(IdleSettings, SayWhyTheyDoNothing) {
  EXPECT_EQ(idle({.tp = 2, .dp = 4, .zero = 1, .tp_overlap = true, .dp_overlap = true}), "");
  EXPECT_EQ(idle({.dp = 4, .tp_overlap = true}), "tp_overlap=true does nothing: tp is 1");
  EXPECT_EQ(idle({.dp = 4, .shard_group = 2}),
            "shard_group does nothing: it applies only to ZeRO (zero=1, 2 or 3)");
  EXPECT_EQ(idle({.dp = 4, .recompute = Recompute::selective}),
            "recompute=selective does nothing: flash attention does not store scores that could be "
            "recomputed");
}

// What is said to do nothing does nothing: time and memory are those without it.
TEST(IdleSettings, DoNothing) {
  Job job = read_job("llama3_8b");
  const Processor gpu = read_processor("h100_sxm");
  ClosedForm model(
      {.gpus_per_node = 8, .nvlink = 360_GBps, .nics = 400_GBps, .nic_count = 8, .overheads = {}});
  const TypeContext c{.job = job, .gpu = gpu, .communication = model, .gpus_per_node = 8};
  const Strategy dp{.dp = 8}, tp{.tp = 8};
  const ScoredStrategy plain = score(c, dp), wide = score(c, tp);
  const auto expect_same = [&](const Strategy& s, const ScoredStrategy& as) {
    EXPECT_FALSE(idle_settings(job, s).empty()) << to_text(s);
    const ScoredStrategy scored = score(c, s);
    EXPECT_EQ(scored.step.total, as.step.total) << to_text(s);
    EXPECT_EQ(scored.memory.total(), as.memory.total()) << to_text(s);
  };
  expect_same({.dp = 8, .tp_overlap = true}, plain);
  expect_same({.dp = 8, .pp_overlap = true}, plain);
  expect_same({.dp = 8, .ep_overlap = true}, plain);
  expect_same({.dp = 8, .shard_group = 4}, plain);
  expect_same({.dp = 8, .recompute = Recompute::selective}, plain);
  expect_same({.dp = 8, .early_stop = true}, plain);
  expect_same({.dp = 8, .even_ends = true}, plain);
  expect_same({.dp = 8, .schedule = PipelineSchedule::zero_bubble}, plain);
  expect_same({.dp = 8, .schedule = PipelineSchedule::gpipe}, plain);
  expect_same({.dp = 8, .context = ContextKind::ulysses}, plain);
  expect_same({.tp = 8, .dp_overlap = true}, wide);
  for (const int zero : {1, 2, 3}) expect_same({.tp = 8, .zero = zero}, wide);
}

}  // namespace
}  // namespace railyard::placement
