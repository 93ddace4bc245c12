#include "placement/emit/job_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/emit/framework_arguments.hpp"

namespace railyard::placement {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

Job job_of(const std::string& model) {
  Job job;
  job.name = model;
  job.model = read_model(model);
  job.batch = 256;
  job.sequence = job.model.sequence > 0 ? job.model.sequence : 4096;
  return job;
}

TEST(JobPlan, GivesMegatronTheStrategyAndTheModel) {
  const Strategy s{.tp = 8,
                   .pp = 4,
                   .dp = 8,
                   .zero = 1,
                   .interleave = 4,
                   .recompute = Recompute::full,
                   .sequence_parallel = true,
                   .schedule = PipelineSchedule::interleaved,
                   .tp_overlap = true,
                   .dp_overlap = true};
  const std::string text = framework_file(Framework::megatron, job_of("llama3_70b"), s);
  // 80 layers over 4 x 4 chunks: 5 each.
  EXPECT_THAT(text,
              AllOf(HasSubstr("--tensor-model-parallel-size 8\n"),
                    HasSubstr("--num-layers-per-virtual-pipeline-stage 5\n"),
                    HasSubstr("--tp-comm-overlap\n"), HasSubstr("--no-overlap-p2p-communication\n"),
                    HasSubstr("--group-query-attention\n--num-query-groups 8\n"),
                    HasSubstr("--swiglu\n"), HasSubstr("--overlap-param-gather\n")));
}

TEST(JobPlan, WhatMegatronIsGivenIsReadBackAsTheStrategy) {
  const Job job = job_of("llama3_70b");
  const Strategy s{.tp = 4,
                   .pp = 2,
                   .dp = 8,
                   .cp = 2,
                   .zero = 1,
                   .micro_batch = 2,
                   .interleave = 2,
                   .recompute = Recompute::selective,
                   .sequence_parallel = true,
                   .schedule = PipelineSchedule::interleaved,
                   .context = ContextKind::ulysses,
                   .dp_overlap = true,
                   .pp_overlap = true};
  const auto read =
      parse_megatron_arguments(framework_file(Framework::megatron, job, s), 128, "args");
  EXPECT_EQ(strategy_of(read.plan), s);
}

// Mixtral, 8 experts over 8 of the 2 x 8 ranks: with experts of their own width ep may exceed dp.
TEST(JobPlan, ExpertsOfTheirOwnWidthAreReadBack) {
  const Job job = job_of("mixtral_8x7b");
  const Strategy s{.tp = 4, .dp = 2, .ep = 8, .etp = 1, .sequence_parallel = true};
  const std::string text = framework_file(Framework::megatron, job, s);
  EXPECT_THAT(text,
              AllOf(HasSubstr("--expert-model-parallel-size 8\n"),
                    HasSubstr("--expert-tensor-parallel-size 1\n"), HasSubstr("--num-experts 8\n"),
                    HasSubstr("--moe-layer-freq \"([0]*0+[1]*32)\"\n")));
  EXPECT_EQ(strategy_of(parse_megatron_arguments(text, 8, "args").plan), s);
}

TEST(JobPlan, SaysWhatAFrameworkCannotExpress) {
  const Job job = job_of("llama3_8b");
  const Strategy piped{
      .pp = 4, .dp = 2, .interleave = 2, .schedule = PipelineSchedule::interleaved};
  EXPECT_THAT([&] { (void)framework_file(Framework::deepspeed, job, piped); },
              ThrowsMessage<InputError>(
                  HasSubstr("DeepSpeed has no argument for interleaved stages (interleave=1)")));
  EXPECT_THAT([&] { (void)framework_file(Framework::torchtitan, job, Strategy{.tp = 2}); },
              ThrowsMessage<InputError>(HasSubstr("without sequence parallelism")));
  const Strategy bubbleless{.pp = 4, .schedule = PipelineSchedule::zero_bubble};
  for (const Framework framework :
       {Framework::megatron, Framework::deepspeed, Framework::torchtitan})
    EXPECT_EQ(inexpressible(framework, job, bubbleless).size(), 1u) << to_text(framework);
  // 32 layers, 3 stages; with embedding and head counted, 34 in 2 stages of 17.
  EXPECT_EQ(inexpressible(Framework::megatron, job, Strategy{.pp = 3}).size(), 1u);
  EXPECT_TRUE(
      inexpressible(Framework::megatron, job, Strategy{.pp = 2, .even_ends = true}).empty());
  // Everything at once, not the first alone.
  EXPECT_EQ(inexpressible(Framework::megatron, job,
                          Strategy{.offload_activations = true, .offload_weights = true})
                .size(),
            2u);
}

TEST(JobPlan, WritesHybridShardingForTorchTitan) {
  const Strategy s{.dp = 16, .zero = 3, .shard_group = 4, .micro_batch = 2};
  const std::string text = framework_file(Framework::torchtitan, job_of("llama3_8b"), s);
  EXPECT_THAT(text, AllOf(HasSubstr("data_parallel_replicate_degree = 4\n"),
                          HasSubstr("data_parallel_shard_degree = 4\n"),
                          // No pipeline: micro-batches are accumulated to the global batch.
                          HasSubstr("local_batch_size = 2\nglobal_batch_size = 256\n"),
                          Not(HasSubstr("microbatch_size"))));
}

TEST(JobPlan, WritesOffloadingForDeepSpeed) {
  const Strategy s{.dp = 8, .zero = 3, .offload_optimizer = true, .offload_weights = true};
  EXPECT_THAT(framework_file(Framework::deepspeed, job_of("llama3_8b"), s),
              HasSubstr("{\"stage\": 3, \"overlap_comm\": false, \"offload_optimizer\": "
                        "{\"device\": \"cpu\"}, \"offload_param\": {\"device\": \"cpu\"}}\n}\n"));
}

// Megatron Core's layout: embedding, layers, loss; the others balance stages themselves.
TEST(JobPlan, LayersOfStagesAreALayoutForMegatron) {
  const Strategy s{.tp = 8, .pp = 4, .dp = 8, .layers = {25, 24, 30, 1}};
  EXPECT_THAT(framework_file(Framework::megatron, job_of("llama3_70b"), s),
              HasSubstr("--pipeline-model-parallel-layout \"Et*25|t*24|t*30|tL\"\n"));
  for (const Framework other : {Framework::deepspeed, Framework::torchtitan}) {
    const auto gaps = inexpressible(other, job_of("llama3_70b"), s);
    EXPECT_TRUE(std::ranges::any_of(gaps, [](const Diagnostic& d) { return d.pointer == "layers"; }));
  }
  EXPECT_FALSE(inexpressible(Framework::megatron, job_of("llava15_7b"), {.dp = 8}).empty());
}

}  // namespace
}  // namespace railyard::placement
