#include "placement/strategy/strategy_check.hpp"

#include <gtest/gtest.h>

#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

/// The first problem, as it is printed; "" where the strategy is valid.
std::string problem(const std::string& job, const Strategy& s, int gpus) {
  const Job read = read_job(job);
  const auto problems = strategy_problems(read, s, gpus, "--fix");
  EXPECT_EQ(problems.empty(), is_valid(read, s, gpus));
  return problems.empty() ? "" : to_text(problems.front());
}

void expect_problem(const std::string& job, const Strategy& s, int gpus, const std::string& what,
                    const std::string& hint) {
  const std::string text = problem(job, s, gpus);
  EXPECT_NE(text.find(what), std::string::npos) << text;
  EXPECT_NE(text.find(hint), std::string::npos) << text;
}

TEST(StrategyCheck, ASoundStrategyHasNoProblem) {
  EXPECT_EQ(problem("gpt3_175b", {.tp = 8, .pp = 8, .dp = 8}, 512), "");
  EXPECT_EQ(problem("mixtral_8x7b", {.tp = 2, .dp = 32, .ep = 8, .sequence_parallel = true}, 64),
            "");
}

TEST(StrategyCheck, SaysWhatDoesNotDivideAndWhatWould) {
  expect_problem("gpt3_175b", {.tp = 8, .pp = 8, .dp = 4}, 512, "is not 512 GPUs", "dp=8");
  expect_problem("gpt3_175b", {.tp = 5, .dp = 2}, 10,
                 "96 attention heads are not divisible by tp 5", "tp=4");
  expect_problem("gpt3_175b", {.tp = 8, .pp = 128}, 1024, "96 layers are fewer", "pp=96");
  expect_problem("gpt3_175b", {.tp = 8, .dp = 7}, 56, "a batch of 1536 is not divisible",
                 "--batch 1533");
  expect_problem("gpt3_175b", {.tp = 8, .dp = 64, .micro_batch = 5}, 512, "micro_batch 5",
                 "micro_batch=4");
  expect_problem("gpt3_175b", {.tp = 1, .dp = 8, .sequence_parallel = true}, 8, "needs tp above 1",
                 "sequence_parallel=false");
  expect_problem("gpt3_175b", {.dp = 8, .ep = 8}, 8, "GPT-3 175B has no experts", "ep=1");
  expect_problem("mixtral_8x7b", {.dp = 16, .ep = 16}, 16, "8 experts are not divisible by ep 16",
                 "ep=8");
  expect_problem("llama3_8b", {.dp = 2, .cp = 3}, 6, "8192 tokens is not divisible by 2 x cp 3",
                 "cp=2");
}

// 126 layers and both ends are 128 = 16 x 8. 126 = 14 x 9; no end helps with 11 stages (126 = 2 x 3
// x 3 x 7): 9 stages of 14 layers are nearest, in chunks of 2.
TEST(StrategyCheck, AHintForChunksDivides) {
  Strategy s{
      .tp = 8, .pp = 16, .dp = 1, .interleave = 8, .schedule = PipelineSchedule::interleaved};
  expect_problem("llama3_405b", s, 128, "126 layers are fewer than pp 16", "even_ends=true");
  s.pp = 14;
  expect_problem("llama3_405b", s, 112, "are not divisible by pp 14 x interleave 8",
                 "interleave=9");
  s.pp = 11;
  expect_problem("llama3_405b", s, 88, "are not divisible by pp 11 x interleave 8",
                 "pp=9,interleave=7");
}

// 96 layers in 8 x 5 chunks: 12 a stage, the divisor nearest to 5 is 4. 24 micro-batches on 16
// stages.
TEST(StrategyCheck, InterleavedStagesNeedEvenChunksAndMicroBatches) {
  Strategy s{.tp = 8, .pp = 8, .dp = 1, .interleave = 5, .schedule = PipelineSchedule::interleaved};
  expect_problem("gpt3_175b", s, 64, "are not divisible by pp 8 x interleave 5", "interleave=4");
  s = {.tp = 8, .pp = 16, .dp = 64, .interleave = 2, .schedule = PipelineSchedule::interleaved};
  expect_problem("gpt3_175b", s, 8192, "a multiple of pp 16 as the number of micro-batches, not 24",
                 "schedule=1f1b");
  s.schedule = PipelineSchedule::one_f_one_b;
  expect_problem("gpt3_175b", s, 8192, "interleave 2 needs", "schedule=interleaved");
}

// 96 layers, embedding and head are 98 parts in 8 x 5 chunks of two and three: Megatron lays them
// out so (--pipeline-model-parallel-layout), and no layer is lost.
TEST(StrategyCheck, ChunksWithTheEndsMayBeUneven) {
  const Strategy s{.tp = 8,
                   .pp = 8,
                   .interleave = 5,
                   .schedule = PipelineSchedule::interleaved,
                   .even_ends = true};
  EXPECT_EQ(problem("gpt3_175b", s, 64), "");
  int layers = 0;
  for (int stage = 0; stage < s.pp; ++stage)
    layers += stage_layers(read_job("gpt3_175b").model, s, stage).total();
  EXPECT_EQ(layers, 96);
}

// Megatron-LM's moe_layer.py asks for sequence parallelism where experts meet tensor parallelism.
TEST(StrategyCheck, ExpertsBehindTensorParallelismNeedTokensCutToo) {
  expect_problem("mixtral_8x7b", {.tp = 2, .dp = 32, .ep = 8}, 64, "experts with tp 2",
                 "sequence_parallel=true");
  EXPECT_EQ(problem("mixtral_8x7b", {.dp = 64, .ep = 8}, 64), "");
}

TEST(StrategyCheck, SomeLayersAreRecomputedWholeOrNotAtAll) {
  Strategy s{.tp = 8, .recompute = Recompute::selective, .recompute_layers = 3};
  expect_problem("gpt3_175b", s, 8, "recompute_layers 3", "recompute=full");
  s.recompute = Recompute::full;
  EXPECT_EQ(problem("gpt3_175b", s, 8), "");
}

TEST(StrategyCheck, OperationsAreComputedAgainOnce) {
  Strategy s{.tp = 8, .recompute = Recompute::full, .recompute_norms = true};
  expect_problem("gpt3_175b", s, 8, "already recomputes norms", "recompute=none");
  s.recompute = Recompute::selective;
  EXPECT_EQ(problem("gpt3_175b", s, 8), "");
  s.recompute_mla = true;
  expect_problem("gpt3_175b", s, 8, "no latent attention", "recompute_mla=false");
}

// 1536 sequences: 8 stages and 64 replicas leave 24 micro-batches, 16 are needed; of 3 sequences
// each 8 are left; 192 replicas of 4 stages leave 8, of 512 an odd 3.
TEST(StrategyCheck, DualPipeNeedsTwiceAsManyMicroBatchesAsStages) {
  Strategy s{.pp = 8, .dp = 64, .schedule = PipelineSchedule::dualpipe};
  EXPECT_EQ(problem("gpt3_175b", s, 512), "");
  s.micro_batch = 3;
  expect_problem("gpt3_175b", s, 512, "dualpipe needs", "");
  s = {.pp = 4, .dp = 192, .schedule = PipelineSchedule::dualpipe};
  EXPECT_EQ(problem("gpt3_175b", s, 768), "");
  s = {.pp = 2, .dp = 512, .schedule = PipelineSchedule::dualpipe};
  expect_problem("gpt3_175b", s, 1024, "even number of micro-batches", "");
  s = {.pp = 3, .dp = 64, .schedule = PipelineSchedule::dualpipe};
  expect_problem("gpt3_175b", s, 192, "even number of stages", "");
}

TEST(StrategyCheck, TheNearestDivisorIsTheSmallerOfTwo) {
  EXPECT_EQ(nearest_divisor(96, 5), 4);
  EXPECT_EQ(nearest_divisor(96, 7), 6);
  EXPECT_EQ(nearest_divisor(7, 100), 7);
}

// Three stages with 30 layers of 40; the hint is 13, 13 and 14 in some order.
TEST(StrategyCheck, LayersOfStagesMustBeThoseOfTheModel) {
  const Job job{.name = "j", .model = read_model("megatron_18b"), .batch = 12, .sequence = 2048};
  const auto first = [&](const Strategy& s) {
    const auto problems = strategy_problems(job, s, s.gpus(), "--fix");
    return problems.empty() ? std::string()
                            : problems.front().message + "; " + problems.front().hint;
  };
  EXPECT_EQ(first({.pp = 3, .layers = {20, 13, 7}}), "");
  EXPECT_EQ(first({.pp = 3, .layers = {10, 10, 10}}),
            "the stages have 30 layers in total, but Megatron GPT 18B has 40; layers=13*2/14");
  EXPECT_EQ(first({.pp = 2, .layers = {20, 13, 7}}),
            "layers lists 3 stages, but pp is 2; layers=20*2");
  EXPECT_FALSE(is_valid(
      job,
      {.pp = 3, .interleave = 2, .schedule = PipelineSchedule::interleaved, .layers = {20, 13, 7}},
      3));
}

// Sizes whose products need more than 32 or 64 bits; each alone is a size that --fix takes.
TEST(StrategyCheck, HugeSizesAreRefusedNotCounted) {
  expect_problem("llama3_8b", {.dp = 65536, .micro_batch = 65536}, 32, "is not 32 GPUs", "dp=32");
  expect_problem("llama3_8b", {.tp = 65536, .cp = 65536, .context = ContextKind::ulysses}, 32,
                 "is not 32 GPUs", "");
  constexpr int kMost = 1'000'000;
  expect_problem("mixtral_8x7b",
                 {.tp = kMost, .pp = kMost, .dp = kMost, .cp = kMost, .ep = kMost, .etp = kMost},
                 32, "is not 32 GPUs", "");
  expect_problem("mixtral_8x7b", {.dp = 32, .ep = kMost, .etp = kMost}, 32,
                 "8 experts are not divisible", "ep=8");
  expect_problem("llama3_8b", {.dp = 32, .micro_batch = kMost}, 32, "micro_batch 1000000",
                 "micro_batch=");
}

// 64 sequences over dp 2 are 32 micro-batches; 8 stages want 16: of 2 sequences each. 4 stages and
// 4 sequences over dp 2: 8 micro-batches would need a batch of 16.
TEST(StrategyCheck, DualPipeSaysHowItWouldGo) {
  Job job{.name = "j", .model = read_model("megatron_18b"), .batch = 64, .sequence = 2048};
  const auto hint = [&](const Strategy& s) {
    const auto problems = strategy_problems(job, s, s.gpus(), "--fix");
    return problems.empty() ? std::string() : problems.front().hint;
  };
  Strategy s{.pp = 8, .dp = 2, .micro_batch = 4, .schedule = PipelineSchedule::dualpipe};
  EXPECT_EQ(hint(s), "micro_batch=2");
  s = {.pp = 5, .dp = 2, .schedule = PipelineSchedule::dualpipe};
  EXPECT_EQ(hint(s), "pp=4");
  job.batch = 4;
  s = {.pp = 4, .dp = 2, .schedule = PipelineSchedule::dualpipe};
  EXPECT_EQ(hint(s), "--batch 16, or schedule=1f1b");
}

// A batch of 1,024 over four replicas: two of 256 micro-batches and two of 256, or two of 300 and
// two of 212. ZeRO 2 reduces gradients in each micro-batch, ZeRO 1 once in a step.
TEST(StrategyCheck, ReplicasThatReduceEachMicroBatchHaveEquallyMany) {
  Job job = read_job("llama3_8b");
  job.batch = 1024;
  Strategy s{.dp = 4, .zero = 2};
  const auto with = [&](int first, int second, int fewer) {
    s.classes = {{.replicas = 2, .micro_batches = first},
                 {.replicas = 2, .micro_batches = second, .fewer = fewer}};
    return is_valid(job, s, 4);
  };
  EXPECT_TRUE(with(256, 256, 0));
  EXPECT_FALSE(with(300, 212, 0));
  const auto problems = strategy_problems(job, s, 4, "--fix");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(to_text(problems.front()).find("zero 2 reduces gradients after each micro-batch"),
            std::string::npos);
  job.batch = 1023;
  EXPECT_FALSE(with(256, 256, 1));
  s.zero = 1;
  EXPECT_TRUE(with(256, 256, 1));
  job.batch = 1024;
  EXPECT_TRUE(with(300, 212, 0));
}

}  // namespace
}  // namespace railyard::placement
