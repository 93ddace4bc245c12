#include <gtest/gtest.h>

#include "placement/cost/scored_strategy.hpp"
#include "placement/mapping/ordered_mapping.hpp"
#include "tests/placement/two_types.hpp"

namespace railyard::placement {
namespace {

Job gpt(int batch) {
  Job job{.name = "gpt", .model = read_model("megatron_18b"), .batch = batch, .sequence = 2048};
  return job;
}

ScoredStrategy cost(const TwoTypes& two, const Strategy& mixed) {
  return score(two.context(), mixed);
}

// Two types of one GPU and one node are one type: the cost is that of the plain strategy.
TEST(CostOverTypes, EqualTypesCostWhatOneDoes) {
  TwoTypes two(gpt(64), "a100_sxm_80", "a100_sxm_80", 32, 8);
  two.types[1].fabric = two.types[0].fabric;
  two.forms[1] = two.forms[0];
  const Strategy s{.tp = 8, .pp = 2, .dp = 4, .zero = 1, .dp_overlap = true};
  const ScoredStrategy mixed =
      cost(two, over(s, {{.types = {0, 0}, .replicas = 2, .micro_batches = 16},
                         {.types = {1, 1}, .replicas = 2, .micro_batches = 16}}));
  const TypeContext plain{
      .job = two.job, .gpu = two.types[0].gpu, .communication = two.forms[0], .gpus_per_node = 8};
  const ScoredStrategy scored = score(plain, s);
  EXPECT_EQ(mixed.step.total, scored.step.total);
  EXPECT_EQ(mixed.step.bubble, scored.step.bubble);
  EXPECT_EQ(mixed.memory.total(), scored.memory.total());
  EXPECT_EQ(mixed.fits, scored.fits);
}

// Chunks too: 40 layers in two stages of two chunks.
TEST(CostOverTypes, EqualTypesWithChunksCostWhatOneDoes) {
  TwoTypes two(gpt(64), "a100_sxm_80", "a100_sxm_80", 32, 8);
  two.types[1].fabric = two.types[0].fabric;
  two.forms[1] = two.forms[0];
  const Strategy s{
      .tp = 8, .pp = 2, .dp = 4, .interleave = 2, .schedule = PipelineSchedule::interleaved};
  const std::vector<PipelineClass> classes{{.types = {0, 0}, .replicas = 2, .micro_batches = 16},
                                           {.types = {1, 1}, .replicas = 2, .micro_batches = 16}};
  const TypeContext plain{
      .job = two.job, .gpu = two.types[0].gpu, .communication = two.forms[0], .gpus_per_node = 8};
  EXPECT_EQ(cost(two, over(s, classes)).step.total, score(plain, s).step.total);
}

// A pipeline of two stages over m micro-batches takes (m - 1) · max + sum, and each sends once for
// a micro-batch, the last and the first way back beside; the slower NICs (B, 100 GB/s a node of 8
// NICs) time the hop, 12.5 GB/s for an eighth of 2·2048·6144 bytes.
TEST(CostOverTypes, ThePipelineIsThatOfItsSlowestStageAndHop) {
  const TwoTypes two(gpt(16), "h100_sxm", "a100_sxm_80", 8, 8);
  Strategy s{.tp = 8, .pp = 2, .layers = {26, 14}};
  const Strategy mixed = over(s, {{.types = {0, 1}, .replicas = 1, .micro_batches = 16}});
  const TypeBlocks blocks = type_blocks(two.context(), s);
  const std::vector<StageUse> uses = stage_uses(two.context(), mixed, blocks.blocks);
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].layers, 26);
  EXPECT_EQ(uses[1].layers, 14);
  const Time hop = slowest_hop(two.context(), s, blocks.shapes, mixed.classes.front());
  const double wire =
      2.0 * 2048 * two.job.model.hidden / 8 / 12.5e9 / two.types[1].gpu.compute().network_in_step;
  EXPECT_NEAR(hop.seconds(), wire, 0.05 * wire + 60e-6);
  EXPECT_GE(hop.seconds(), wire);
  const ScoredStrategy scored = cost(two, mixed);
  const Time piped =
      std::max(uses[0].pass, uses[1].pass) * 15 + uses[0].pass + uses[1].pass + hop * (15 + 2);
  EXPECT_EQ(scored.step.total - scored.step.dp - scored.step.optimizer, piped);
}

// Gradients of a stage that lies on both types in different replicas are reduced at the pace of
// the slower NICs: B has half of A's.
TEST(CostOverTypes, ARingOverTypesIsAsSlowAsTheSlower) {
  const TwoTypes two(gpt(64), "a100_sxm_80", "a100_sxm_80", 16, 8);
  const Strategy s{.tp = 8, .dp = 4};
  const auto of = [&](int first, int second) {
    return cost(two, over(s, {{.types = {first}, .replicas = 2, .micro_batches = 16},
                              {.types = {second}, .replicas = 2, .micro_batches = 16}}))
        .step.dp;
  };
  EXPECT_LT(of(0, 0), of(0, 1));
  EXPECT_EQ(of(0, 1), of(1, 1));
}

TEST(CostOverTypes, MemoryIsOfTheFullestGpuForItsSize) {
  const TwoTypes two(gpt(16), "h100_sxm", "v100_sxm", 8, 8);
  const Strategy even{.tp = 8, .pp = 2, .layers = {20, 20}};
  const std::vector<PipelineClass> classes{{.types = {0, 1}, .replicas = 1, .micro_batches = 16}};
  const ScoredStrategy scored = cost(two, over(even, classes));
  EXPECT_EQ(scored.fullest, 1);
  EXPECT_EQ(scored.fits, scored.memory.total() <= two.types[1].gpu.gpu.memory);
  EXPECT_EQ(gpus_used(scored.strategy, 2), (std::vector<int>{8, 8}));
}

// Two replicas A, B and one B, B with blocks of two GPUs: stage 0 is A A B, stage 1 B B B.
TEST(TypedMapping, RanksTakeTheNextGpusOfTheirType) {
  const TwoTypes two(gpt(12), "h100_sxm", "a100_sxm_80", 8, 4);
  const Strategy mixed =
      over({.tp = 2, .pp = 2, .dp = 3}, {{.types = {0, 1}, .replicas = 2, .micro_batches = 4},
                                         {.types = {1, 1}, .replicas = 1, .micro_batches = 4}});
  std::vector<std::uint32_t> gpus;
  for (const Rank gpu : ordered_mapping(mixed, free_gpus(two.types)).gpus)
    gpus.push_back(gpu.value());
  EXPECT_EQ(gpus, (std::vector<std::uint32_t>{0, 1, 2, 3, 1000, 1001, 1002, 1003, 1004, 1005, 1006,
                                              1007}));
}

}  // namespace
}  // namespace railyard::placement
