#include "placement/launch/job_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/config_path.hpp"
#include "placement/launch/framework_arguments.hpp"

namespace railyard::placement {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
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

// Megatron-LM's default is 10,000: a model whose file does not give its base would be another one.
TEST(JobPlan, EveryShippedModelWithRotaryPositionsGivesItsBase) {
  int models = 0;
  for (const std::string& name : core::config_names("models")) {
    const Model model = read_model(name);
    const bool is_alibi = name == "bloom_176b";
    if (model.positions > 0 || model.relative_buckets > 0 || is_alibi) continue;
    EXPECT_GT(model.rotary_base, 0) << name;
    ++models;
  }
  EXPECT_GT(models, 15);
}

TEST(JobPlan, GivesMegatronTheNormsOfQueriesAndKeys) {
  const auto text = [](const char* model) {
    return framework_file(Framework::megatron, job_of(model),
                          {.tp = 8, .dp = 8, .zero = 1, .sequence_parallel = true});
  };
  for (const char* model : {"qwen3_32b", "qwen3_235b_a22b"})
    EXPECT_THAT(text(model),
                AllOf(HasSubstr("--qk-layernorm\n"), HasSubstr("--rotary-base 1000000\n")));
  EXPECT_THAT(text("deepseek_v3"), HasSubstr("--qk-layernorm\n"));
  EXPECT_THAT(text("llama3_8b"), Not(HasSubstr("--qk-layernorm")));
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

// Megatron-LM's names of what is computed again, and of moments in bf16 and swiglu's inputs in fp8.
TEST(JobPlan, OperationsComputedAgainAreReadBack) {
  const Job job = read_job("deepseek_v3");
  const Strategy s{.dp = 64,
                   .ep = 64,
                   .zero = 1,
                   .recompute_norms = true,
                   .recompute_act = true,
                   .recompute_mla = true};
  const std::string text = framework_file(Framework::megatron, job, s);
  EXPECT_THAT(text, AllOf(HasSubstr("--recompute-granularity selective\n"
                                    "--recompute-modules layernorm moe_act mla_up_proj\n"),
                          HasSubstr("--use-precision-aware-optimizer\n--exp-avg-dtype bf16\n"
                                    "--exp-avg-sq-dtype bf16\n"),
                          HasSubstr("--activation-func-fp8-input-store\n"),
                          HasSubstr("--fp8-recipe blockwise\n")));
  EXPECT_EQ(strategy_of(parse_megatron_arguments(text, 64, "args").plan), s);
  for (const Framework other : {Framework::deepspeed, Framework::torchtitan}) {
    std::vector<std::string> keys;
    for (const auto& gap : inexpressible(other, job, s)) keys.push_back(gap.pointer);
    EXPECT_THAT(keys, testing::IsSupersetOf({"recompute", "moments", "fp8_act_input"}));
  }
}

// Recipes of 8 and 4 bits, 16-bit layers at the edges, fused losses and graphs have arguments in
// Megatron-LM; precisions of parts of a layer have none.
TEST(JobPlan, GivesMegatronThePrecisionsOfLayers) {
  Job job = job_of("llama3_8b");
  job.precision = Precision::nvfp4;
  job.first_layers = 2;
  job.last_layers = 8;
  job.precisions = {{.layers = LayerRange::edge, .precision = Precision::bf16}};
  job.loss = LossKernel::te;
  job.cuda_graphs = true;
  const Strategy s{.dp = 8};
  EXPECT_THAT(
      framework_file(Framework::megatron, job, s),
      AllOf(HasSubstr("--fp4-format e2m1\n"), HasSubstr("--fp4-recipe nvfp4\n"),
            HasSubstr("--first-last-layers-bf16\n"), HasSubstr("--num-layers-at-start-in-bf16 2\n"),
            HasSubstr("--num-layers-at-end-in-bf16 8\n"),
            HasSubstr("--cross-entropy-fusion-impl te\n"), HasSubstr("--cuda-graph-impl local\n"),
            HasSubstr("--bf16\n")));
  job.precisions.push_back({.part = LayerPart::scores, .precision = Precision::fp8});
  EXPECT_EQ(inexpressible(Framework::megatron, job, s).size(), 1u);
  EXPECT_EQ(inexpressible(Framework::torchtitan, job, s).size(), 1u);
  EXPECT_EQ(inexpressible(Framework::deepspeed, job, s).size(), 1u);
  job = job_of("llama3_8b");
  job.precision = Precision::mxfp8;
  job.narrow_weights = true;
  EXPECT_THAT(framework_file(Framework::megatron, job, s),
              AllOf(HasSubstr("--fp8-format e4m3\n"), HasSubstr("--fp8-recipe mxfp8\n"),
                    HasSubstr("--fp8-param-gather\n"), Not(HasSubstr("--first-last-layers"))));
  EXPECT_THAT(framework_file(Framework::torchtitan, job, s), HasSubstr("quantize.linear.mx"));
}

// Megatron-LM adds up gradients in its products unless told otherwise, which Megatron-FSDP is in
// any case: said once.
TEST(JobPlan, GivesMegatronTheSumOfGradients) {
  Job job = job_of("llama3_8b");
  const std::string flag = "--no-gradient-accumulation-fusion\n";
  EXPECT_THAT(framework_file(Framework::megatron, job, {.dp = 8}), Not(HasSubstr(flag)));
  job.gradient_sum = GradientSum::separate;
  for (const int zero : {0, 2}) {
    const std::string file = framework_file(Framework::megatron, job, {.dp = 8, .zero = zero});
    EXPECT_THAT(file, HasSubstr(flag));
    EXPECT_EQ(file.find(flag), file.rfind(flag));
  }
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
  // 32 layers, 3 stages: a layout; with embedding and head counted, 34 in 2 stages of 17.
  EXPECT_THAT(framework_file(Framework::megatron, job, Strategy{.pp = 3}),
              HasSubstr("--pipeline-model-parallel-layout \"Et*11|t*10|t*11L\"\n"));
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
    EXPECT_TRUE(
        std::ranges::any_of(gaps, [](const Diagnostic& d) { return d.pointer == "layers"; }));
  }
  EXPECT_FALSE(inexpressible(Framework::megatron, job_of("llava15_7b"), {.dp = 8}).empty());
}

// pretrain_t5.py: one set of sizes, 64 heads of 64 numbers are hidden, so no --kv-channels; of T5
// 11B 128 heads of 128 are not its 1024.
TEST(JobPlan, EncoderDecodersAreForMegatronsT5) {
  const Strategy s{.tp = 2, .dp = 4, .zero = 1, .micro_batch = 2};
  const std::string text = framework_file(Framework::megatron, job_of("t5_v1_1_xxl"), s);
  EXPECT_THAT(text, AllOf(HasSubstr("--encoder-num-layers 24\n--decoder-num-layers 24\n"),
                          HasSubstr("--encoder-seq-length 512\n--decoder-seq-length 128\n"),
                          HasSubstr("--max-position-embeddings 512\n"),
                          HasSubstr("--position-embedding-type relative\n"
                                    "--relative-attention-num-buckets 32\n"),
                          HasSubstr("--hidden-dropout 0\n"), Not(HasSubstr("--kv-channels")),
                          Not(HasSubstr("--num-layers ")), Not(HasSubstr("--seq-length "))));
  EXPECT_THAT(framework_file(Framework::megatron, job_of("t5_11b"), s),
              AllOf(HasSubstr("--kv-channels 128\n"), Not(HasSubstr("dropout"))));
  EXPECT_THAT(framework_notes(Framework::megatron, job_of("t5_v1_1_xxl"), s),
              ElementsAre("for pretrain_t5.py", HasSubstr("no gelu gate: --swiglu"),
                          HasSubstr("CUDA_DEVICE_MAX_CONNECTIONS=1")));
  const auto gap = [](const char* job, const Strategy& strategy) {
    return inexpressible(Framework::megatron, job_of(job), strategy).front().message;
  };
  EXPECT_THAT(gap("t5_11b", {.pp = 2}), HasSubstr("pretrain_t5.py refuses one"));
  EXPECT_THAT(gap("whisper_large_v3", {.dp = 8}), HasSubstr("an encoder of sound"));
  EXPECT_THAT(inexpressible(Framework::torchtitan, job_of("t5_11b"), {.dp = 8}).front().message,
              HasSubstr("encoder-decoders"));
  EXPECT_TRUE(inexpressible(Framework::deepspeed, job_of("t5_11b"), {.dp = 8, .zero = 2}).empty());
}

// examples/multimodal/sft_mistral_clip.sh: 336 pixels in patches of 14 are 24 x 24 tokens, and one
// of the class, which is dropped.
TEST(JobPlan, ATowerIsForMegatronsMultimodalExample) {
  const std::string text =
      framework_file(Framework::megatron, job_of("mistral_clip_7b"), {.tp = 4, .dp = 2});
  EXPECT_THAT(text, AllOf(HasSubstr("--language-model-type mistral_7b\n"),
                          HasSubstr("--vision-model-type clip\n"),
                          HasSubstr("--img-h 336\n--img-w 336\n--patch-dim 14\n"
                                    "--decoder-seq-length 2048\n"),
                          HasSubstr("--disable-vision-class-token\n--freeze-ViT\n")));
  const auto gap = [](const char* job, const Strategy& strategy) {
    return inexpressible(Framework::megatron, job_of(job), strategy).front().message;
  };
  EXPECT_THAT(gap("llava15_7b", {.dp = 8}), HasSubstr("an MLP of 11008 behind a tower"));
  EXPECT_THAT(gap("qwen2_vl_72b", {.dp = 8}), HasSubstr("no square"));
  EXPECT_THAT(gap("mistral_clip_7b", {.pp = 4, .dp = 2, .tower_stages = 1}),
              HasSubstr("stages of towers"));
}

// 30 layers, embedding and loss over two ranks of four chunks: four each.
TEST(JobPlan, ChunksCountEmbeddingAndLossWhereStagesDo) {
  Job job = job_of("llama3_8b");
  job.model.layers = 30;
  const Strategy s{.pp = 2,
                   .dp = 4,
                   .interleave = 4,
                   .schedule = PipelineSchedule::interleaved,
                   .even_ends = true,
                   .pp_overlap = true};
  EXPECT_THAT(framework_file(Framework::megatron, job, s),
              HasSubstr("--num-layers-per-virtual-pipeline-stage 4\n"));
  EXPECT_THAT(framework_file(Framework::torchtitan, job, s),
              AllOf(HasSubstr("pipeline_parallel_first_stage_less_layers = 1\n"),
                    HasSubstr("pipeline_parallel_layers_per_stage = 4\n")));
  EXPECT_THAT(framework_file(Framework::torchtitan, job, {.pp = 2, .dp = 4}),
              HasSubstr("pipeline_parallel_last_stage_less_layers = 0\n"));
}

// What Megatron asserts when it starts, or a layer when it runs.
TEST(JobPlan, WhatMegatronRefusesIsRefused) {
  const auto gap = [](const Job& job, const Strategy& s) {
    const auto gaps = inexpressible(Framework::megatron, job, s);
    return gaps.empty() ? "" : gaps.front().message;
  };
  const Job mixtral = job_of("mixtral_8x7b"), llama = job_of("llama3_8b");
  EXPECT_THAT(gap(mixtral, {.tp = 2, .dp = 4, .ep = 4}), HasSubstr("without sequence parallelism"));
  EXPECT_THAT(gap(mixtral, {.pp = 2, .dp = 4, .ep = 4, .ep_overlap = true}),
              HasSubstr("overlapped expert traffic"));
  EXPECT_THAT(
      gap(llama, {.pp = 2, .dp = 4, .interleave = 2, .schedule = PipelineSchedule::interleaved}),
      HasSubstr("chunks on two stages"));
  EXPECT_THAT(gap(llama, {.dp = 8, .offload_optimizer = true}), HasSubstr("is not sharded"));
  EXPECT_EQ(gap(llama, {.dp = 8, .zero = 1, .offload_optimizer = true}), "");
}

TEST(JobPlan, ShardedByMegatronFsdpWithWhatItAsksFor) {
  EXPECT_THAT(framework_file(Framework::megatron, job_of("llama3_8b"), {.dp = 8, .zero = 3}),
              HasSubstr("--use-distributed-optimizer\n--use-megatron-fsdp\n"
                        "--data-parallel-sharding-strategy optim_grads_params\n"
                        "--no-gradient-accumulation-fusion\n--ckpt-format fsdp_dtensor\n"));
  EXPECT_THAT(framework_file(Framework::deepspeed, job_of("llama3_8b"),
                             {.dp = 16, .zero = 3, .shard_group = 8}),
              HasSubstr("\"mics_shard_size\": 8"));
  EXPECT_THAT(framework_file(Framework::megatron, job_of("llama3_8b"),
                             {.dp = 4, .cp = 2, .context = ContextKind::all_gather}),
              HasSubstr("--cp-comm-type all_gather\n"));
  EXPECT_THAT(framework_file(Framework::torchtitan, job_of("llama3_8b"), {.dp = 4, .cp = 2}),
              HasSubstr("context_parallel_rotate_method = \"alltoall\"\n"));
}

}  // namespace
}  // namespace railyard::placement
