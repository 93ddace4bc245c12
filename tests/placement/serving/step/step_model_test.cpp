#include "placement/serving/step/step_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "placement/serving/step/expert_balance.hpp"

namespace railyard::placement::serving {
namespace {

/// 18 NVLinks of 20.6 GB/s.
NodeFabric h100_node() {
  return {.gpus_per_node = 8, .nvlink = Bandwidth::megabits_per_second(8 * 18 * 20'600)};
}

StepModel model_of(const Model& model, const Processor& gpu, const Deployment& deployment,
                   const StepEfficiency& efficiency, int tabulated = 0) {
  return StepModel({.model = model,
                    .gpu = gpu,
                    .fabric = h100_node(),
                    .deployment = deployment,
                    .efficiency = efficiency,
                    .tabulated_tokens = tabulated});
}

TEST(StepModel, WeightsOfASingleTokenAreReadAtTheMemorysRate) {
  // Llama 3 8B in bf16: 32 layers of 218,103,808 weights in products (qkv 4096 x 6144, o 4096 x
  // 4096, gate and up 4096 x 28672, down 14336 x 4096) and a head of 4096 x 128256: 15.01 GB. At
  // 0.5 of 3,350 GB/s that takes 8.96 ms; inputs, results and the arithmetic add at most 2 %.
  const StepEfficiency no_starts{
      .weights = 0.5, .kernel_us = 0, .layer_us = 0, .host_us = 0, .sequence_us = 0};
  const Processor gpu = read_processor("h100_sxm");
  const double linear =
      model_of(read_model("llama3_8b"), gpu, {}, no_starts).time(decode_batch(1, 100)).linear;
  const double expected = 2 * (32 * 218'103'808.0 + 4096.0 * 128'256) / (0.5 * 3.35e12);
  EXPECT_GT(linear, expected);
  EXPECT_LT(linear, 1.02 * expected);
}

TEST(StepModel, ScalesThatAreKnownAheadSpeedUpDenseProductsAndNotThoseOfExperts) {
  // 100,000 tokens: products are limited by arithmetic, so their time falls as 1/rate. Mixtral's
  // dense products are those of attention and a head in bf16; kernels that stream do not change.
  const Processor gpu = read_processor("h200_sxm");
  const Model model = read_model("mixtral_8x7b");
  Deployment fp8;
  fp8.formats = {.attention = NumberFormat::fp8,
                 .mlp = NumberFormat::fp8,
                 .experts = NumberFormat::fp8,
                 .kv = NumberFormat::fp8};
  const StepBatch prompts = prompt_part(0, 100'000, true);
  const auto time = [&](double static8) {
    return model_of(model, gpu, fp8, {.matrix8 = 0.5, .static8 = static8}).time(prompts);
  };
  const StepTime engine = time(0), same = time(0.5), ahead = time(1.0);
  EXPECT_DOUBLE_EQ(same.total(), engine.total());
  EXPECT_DOUBLE_EQ(ahead.experts, engine.experts);
  // 32 layers of 41,943,040 weights (qkv 4096 x 6144, o 4096 x 4096): 2.68e14 operations, of which
  // half of the time at 0.5 of 0.98 · 1,979 TFLOP/s is saved, 0.138 s, and as much of the loads of
  // tiles (c · 64 (1/256 + 1/128) = 0.1575).
  const double saved = 2 * 32 * 41'943'040.0 * 100'000 / (0.98 * 1979e12) * 1.1575;
  EXPECT_NEAR(engine.linear - ahead.linear, saved, 0.1 * saved);
}

TEST(StepModel, TokensPerSecondFollowTheBandwidthOfTheMemory) {
  // LLaMA 7B on an A100 (2,039 GB/s) and with an A10's memory (600 GB/s): 3.40 times.
  const StepEfficiency no_starts{.kernel_us = 0, .layer_us = 0, .host_us = 0, .sequence_us = 0};
  const Model model = read_model("llama2_7b");
  const Processor a100 = read_processor("a100_sxm_80");
  Processor a10 = a100;
  a10.gpu.memory_bandwidth = Bandwidth::gigabytes_per_second(600);
  const double fast = model_of(model, a100, {}, no_starts).time(decode_batch(1, 500)).total();
  const double slow = model_of(model, a10, {}, no_starts).time(decode_batch(1, 500)).total();
  EXPECT_NEAR(slow / fast, 2039.0 / 600, 0.02 * 2039 / 600);
}

TEST(StepModel, ScalesOfExpertsThatAreLaidOutInEachStepTakeTheSameTimeAtAnyLoad) {
  // DeepSeek-V3, 32 of 256 experts on each rank: 32 · (4096 · 56 + 7168 · 16) = 11,010,048 scales
  // of rows, 22 B each, and 16 kernels of 3 us, in 58 layers.
  const Processor gpu = read_processor("b200");
  const Model model = read_model("deepseek_v3");
  Deployment fp8{.tp = 8, .ep = 8};
  fp8.formats = {.attention = NumberFormat::fp8,
                 .mlp = NumberFormat::fp8,
                 .experts = NumberFormat::fp8,
                 .kv = NumberFormat::fp8};
  Deployment laid_out = fp8;
  laid_out.lays_out_scales = true;
  const StepEfficiency efficiency{.kernel_us = 3};
  const double rate = gpu.spec.stream_efficiency * gpu.gpu.memory_bandwidth.bytes_per_second();
  const double added = 58 * (16 * 3e-6 + 22 * 11'010'048.0 / rate);
  for (const double sequences : {1.0, 64.0}) {
    const StepBatch batch = decode_batch(sequences, 1000);
    const double once = model_of(model, gpu, fp8, efficiency).time(batch).total();
    const double each = model_of(model, gpu, laid_out, efficiency).time(batch).total();
    EXPECT_NEAR(each - once, added, 1e-9);
  }
}

TEST(StepModel, AnotherTokenOfContextReadsItsKeysAndValues) {
  // Llama 3 8B: 2 · 32 layers · 8 heads · 128 · 2 B = 131,072 B a token; 1,000 more for each of 4
  // sequences at 0.8 of 3,350 GB/s.
  const Processor gpu = read_processor("h100_sxm");
  const StepModel model = model_of(read_model("llama3_8b"), gpu, {}, {.kv = 0.8});
  const double added =
      model.time(decode_batch(4, 3000)).attention - model.time(decode_batch(4, 2000)).attention;
  EXPECT_NEAR(added, 4 * 1000 * 131'072 / (0.8 * 3.35e12), 1e-9);
}

TEST(StepModel, ASlidingWindowBoundsTheContext) {
  // 18 of gpt-oss's 36 layers see 128 tokens: beyond those only the other 18 read more, 2 · 18 · 8
  // · 64 · 2 B = 36,864 B a token.
  const Processor gpu = read_processor("h100_sxm");
  const StepModel model = model_of(read_model("gpt_oss_120b"), gpu, {.tp = 1}, {.kv = 0.8});
  const double added =
      model.time(decode_batch(1, 9000)).attention - model.time(decode_batch(1, 8000)).attention;
  EXPECT_NEAR(added, 1000 * 36'864 / (0.8 * 3.35e12), 1e-10);
}

TEST(StepModel, LongMessagesAreReducedInTheSwitch) {
  // Llama 3 8B over 8 GPUs, 64 all-reduces. 2,000 tokens are 2 · 2,000 · 4,096 B = 16.4 MB, above
  // 8 MiB: each GPU sends 9/8 of them through a switch that reduces, but 2 · 7/8 without one.
  const StepEfficiency efficiency{.reduce_us = 0, .reduce_rank_us = 0, .reduce_rate = 0.7};
  const Model model = read_model("llama3_8b");
  const double each = 2 * 2000 * 4096.0 / (0.7 * 18 * 20.6e9);
  const auto communication = [&](const char* gpu, double tokens) {
    return model_of(model, read_processor(gpu), {.tp = 8}, efficiency)
        .time(prompt_part(0, tokens, false))
        .communication;
  };
  EXPECT_NEAR(communication("h100_sxm", 2000), 64 * 9.0 / 8 * each, 1e-9);
  EXPECT_NEAR(communication("a100_sxm_80", 2000), 64 * 14.0 / 8 * each, 1e-9);
  // 1,000 tokens are below 8 MiB.
  EXPECT_NEAR(communication("h100_sxm", 1000), 64 * 14.0 / 8 * each / 2, 1e-9);
}

TEST(StepModel, TensorParallelismAddsTwoAllReducesALayer) {
  // One token of 4,096 channels in bf16 over 4 ranks: 5 us + 2 · 0.5 us, and min(3, 1.5) · 8,192 B
  // at 0.7 of 370.8 GB/s; 64 times.
  const Processor gpu = read_processor("h100_sxm");
  const StepEfficiency efficiency{.reduce_us = 5, .reduce_rank_us = 0.5, .reduce_rate = 0.7};
  const double time = model_of(read_model("llama3_8b"), gpu, {.tp = 4}, efficiency)
                          .time(decode_batch(1, 100))
                          .communication;
  EXPECT_NEAR(time, 64 * (6e-6 + 1.5 * 8192 / (0.7 * 370.8e9)), 1e-9);
}

TEST(StepModel, TheHostAddsItsTimeAndThatOfEachSequence) {
  const Processor gpu = read_processor("h100_sxm");
  const StepEfficiency efficiency{.host_us = 1000, .sequence_us = 20};
  const StepModel model = model_of(read_model("llama3_8b"), gpu, {}, efficiency);
  EXPECT_NEAR(model.time(decode_batch(8, 100)).host, 1e-3 + 8 * 20e-6, 1e-12);
}

TEST(StepModel, APromptTakesAtLeastTheLaunchesOfItsKernels) {
  // TensorRT-LLM runs prompts without a graph. Llama 3 8B: 12 · 32 launches of 1 ms are 0.384 s, of
  // which the GPU's time is a part; Qwen3 30B A3B has 48 layers of 12 + 10 kernels.
  const Processor gpu = read_processor("h100_sxm");
  const StepEfficiency slow{.host_us = 0, .sequence_us = 0, .launch_us = 1000};
  const Deployment d{.engine = Engine::trtllm};
  const StepBatch prompt = prompt_part(0, 100, true);
  EXPECT_NEAR(model_of(read_model("llama3_8b"), gpu, d, slow).time(prompt).total(), 0.384, 1e-9);
  EXPECT_NEAR(model_of(read_model("qwen3_30b_a3b"), gpu, d, slow).time(prompt).total(), 48 * 22e-3,
              1e-9);
  // Decodes, and small steps of vLLM, are graphs.
  EXPECT_LT(model_of(read_model("llama3_8b"), gpu, d, slow).time(decode_batch(1, 10)).total(), 0.1);
  EXPECT_LT(model_of(read_model("llama3_8b"), gpu, {}, slow).time(prompt).total(), 0.1);
}

TEST(StepModel, PopularExpertsAreSharedByTokens) {
  // One token reads the same number of experts whatever their popularity; many tokens read fewer
  // different ones where some are chosen more often.
  const Processor gpu = read_processor("h100_sxm");
  const Model model = read_model("qwen3_30b_a3b");
  const auto experts = [&](double skew, double tokens) {
    const StepEfficiency e{.skew = skew, .kernel_us = 0, .routing_us = 0};
    return model_of(model, gpu, {}, e).time(decode_batch(tokens, 10)).experts;
  };
  EXPECT_NEAR(experts(0.4, 1) / experts(0, 1), 1, 0.05);
  EXPECT_LT(experts(0.4, 32), 0.97 * experts(0, 32));
}

TEST(StepModel, ATableGivesTheSameTimes) {
  const Processor gpu = read_processor("h100_sxm");
  const Model model = read_model("llama3_8b");
  const StepModel exact = model_of(model, gpu, {}, {}), table = model_of(model, gpu, {}, {}, 4096);
  for (const double n : {1.0, 7.0, 100.0, 512.0}) {
    const StepBatch batch = decode_batch(n, 1000);
    EXPECT_DOUBLE_EQ(exact.time(batch).total(), table.time(batch).total()) << n;
  }
  StepBatch mixed = decode_batch(16, 1000);
  mixed += prompt_part(0, 1500, true);
  EXPECT_NEAR(table.time(mixed).total() / exact.time(mixed).total(), 1, 0.03);
}

TEST(StepModel, PairsOfAPromptPartCountTheTokensBeforeIt) {
  // Tokens 100 to 109 see 101 to 110 tokens each: 1,055 pairs.
  const StepBatch part = prompt_part(100, 10, false);
  EXPECT_DOUBLE_EQ(part.prompt_pairs, 1055);
  EXPECT_DOUBLE_EQ(part.first_tokens, 0);
}

TEST(Speculation, TokensPerStepAreThoseOfTheGeometricSeries) {
  // 1 + 0.5 + 0.25 + 0.125.
  EXPECT_DOUBLE_EQ((Speculation{.tokens = 3, .acceptance = 0.5}.tokens_per_step()), 1.875);
  EXPECT_DOUBLE_EQ(Speculation{}.tokens_per_step(), 1);
}

TEST(StepModel, AcceptedDraftsShareOneReadOfTheWeights) {
  // Llama 3 70B at batch 1 is bound by reading weights: a step over two tokens reads them once, and
  // the draft costs one of 80 layers. With every draft accepted a token takes about half as long.
  const StepEfficiency no_starts{
      .weights = 0.5, .kernel_us = 0, .layer_us = 0, .host_us = 0, .sequence_us = 0};
  const Model model = read_model("llama3_70b");
  const Processor gpu = read_processor("h100_sxm");
  Deployment d{.tp = 8};
  const double plain = model_of(model, gpu, d, no_starts).time(decode_batch(1, 1000)).linear;
  d.speculation = {.tokens = 1, .acceptance = 0.999999};
  const double drafted = model_of(model, gpu, d, no_starts).time(decode_batch(1, 1000)).linear;
  EXPECT_NEAR(drafted / plain, (1 + 1.0 / 80) / 2, 0.02);
}

TEST(StepModel, RejectedDraftsCostTime) {
  const Model model = read_model("llama3_70b"), draft = read_model("llama3_8b");
  const Processor gpu = read_processor("h100_sxm");
  Deployment d{.tp = 8};
  const StepEfficiency e = fitted_efficiency(Engine::vllm);
  const double plain = model_of(model, gpu, d, e).time(decode_batch(8, 1000)).total();
  d.speculation = {.tokens = 4, .acceptance = 0.0};
  const StepModel with_draft({.model = model,
                              .gpu = gpu,
                              .fabric = h100_node(),
                              .deployment = d,
                              .efficiency = e,
                              .draft = &draft});
  d.speculation = {};
  const double four_drafts = 4 * model_of(draft, gpu, d, e).time(decode_batch(8, 1000)).total();
  EXPECT_GT(with_draft.time(decode_batch(8, 1000)).total(), plain + four_drafts);
}

TEST(StepModel, PromptsBesideDraftsCostWhatTheyCostBesideDecodes) {
  const Model model = read_model("llama3_8b");
  const Processor gpu = read_processor("h100_sxm");
  Deployment d;
  d.speculation = {.tokens = 2, .acceptance = 0.7};
  const StepModel step = model_of(model, gpu, d, fitted_efficiency(Engine::vllm));
  StepBatch mixed = decode_batch(8, 1000);
  mixed += prompt_part(0, 2000, true);
  const double added = step.time(mixed).total() - step.time(decode_batch(8, 1000)).total();
  const double alone = step.time(prompt_part(0, 2000, true)).total();
  EXPECT_GT(added, 0.5 * alone);
  EXPECT_LT(added, alone);
}

/// All-to-alls that take a nanosecond per byte.
class NanosecondPerByte final : public CommunicationModel {
 public:
  [[nodiscard]] Time time(const GroupCollective& c) const override {
    EXPECT_EQ(c.kind, collectives::Kind::all_to_all);
    EXPECT_EQ(c.shape.size, 32U);
    return Time::from_seconds(c.bytes * 1e-9);
  }
};

StepModel wide_model(const Model& model, const Processor& gpu, Deployment d, double imbalance) {
  d.attention_dp = 32 / d.tp;
  d.ep = 32;
  return StepModel({.model = model,
                    .gpu = gpu,
                    .fabric = h100_node(),
                    .deployment = d,
                    .efficiency = {.imbalance = imbalance},
                    .between_nodes = std::make_shared<NanosecondPerByte>()});
}

class ReductionPerByte final : public CommunicationModel {
 public:
  [[nodiscard]] Time time(const GroupCollective& c) const override {
    EXPECT_EQ(c.kind, collectives::Kind::all_reduce);
    EXPECT_EQ(c.shape.size, 16U);
    return Time::from_seconds(c.bytes * 1e-9);
  }
};

TEST(StepModel, AReductionBetweenNodesIsThatOfTheModelBetweenNodes) {
  // tp 16 on nodes of 8: two all-reduces of 2 B · 8,192 values in each of 80 layers, 1 ns per byte.
  const Model model = read_model("llama3_70b");
  const Processor gpu = read_processor("h100_sxm");
  const Deployment d{.tp = 16};
  const StepModel step({.model = model,
                        .gpu = gpu,
                        .fabric = h100_node(),
                        .deployment = d,
                        .between_nodes = std::make_shared<ReductionPerByte>()});
  EXPECT_NEAR(step.time(decode_batch(1, 100)).communication, 2 * 80 * 2 * 8192 * 1e-9, 1e-7);
}

TEST(StepModel, PromptsOfLatentAttentionExpandTheLatentVector) {
  // 16,384 tokens of DeepSeek-V3, once as decodes without context, once as a prompt without pairs.
  // The prompt has the same operations in products, but its tensors are narrower: 128 heads have
  // 192 + 128 values of keys and values in place of 2 · 512. Each is written and read in 2 B: 61
  // layers · 4 B · 16,384 · 128 · 704 = 360 GB, 108 ms at the full 3,350 GB/s of an H100.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("h100_sxm");
  const StepModel step = model_of(model, gpu, {}, {});
  const double tokens = 16'384;
  const StepBatch prompt{.prompts = 1, .prompt_tokens = tokens, .first_tokens = tokens};
  const double saved = step.time(decode_batch(tokens, 0)).total() - step.time(prompt).total();
  const double streamed = 61 * 4 * tokens * 128 * 704 / 3.35e12;
  EXPECT_GT(saved, streamed);
  EXPECT_LT(saved, 4 * streamed);
}

TEST(StepModel, TokensGoToTheirExpertsInEightBitsAndComeBackInSixteen) {
  // DeepSeek-V3, 64 tokens of each of 32 ranks to 8 experts of 58 layers: 64 · 8 · 7168 values of
  // 1 B and 4 B of scale per 128 out, of 2 B back.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("h100_sxm");
  const double values = 64 * 8 * 7168, layers = 58;
  Deployment d{.formats = {.experts = NumberFormat::fp8}};
  const auto seconds = [&](const StepBatch& batch, double imbalance) {
    return wide_model(model, gpu, d, imbalance).time(batch).communication;
  };
  EXPECT_NEAR(seconds(decode_batch(64, 100), 0), layers * values * 3.03125e-9, 1e-6);
  d.formats.experts = NumberFormat::bf16;
  EXPECT_NEAR(seconds(decode_batch(64, 100), 0), layers * values * 4e-9, 1e-6);
  // A prompt of 1,024 tokens crosses to a node once: of 4 nodes 4 (1 - (3/4)^8) = 3.5995 have one
  // of the 8 experts.
  d.formats.experts = NumberFormat::fp8;
  const double crossed = 1024 * 4 * (1 - std::pow(0.75, 8)) * 7168;
  EXPECT_NEAR(seconds(prompt_part(0, 1024, true), 0), layers * crossed * 3.03125e-9, 1e-6);
}

TEST(StepModel, AnExchangeInsideANodeStartsOncePerRankAndSendsFourBitsWhereExpertsComputeInThem) {
  // DeepSeek-V3 on 8 ranks of a node, 64 tokens a rank to min(8, 8 - 1) others, 58 layers. Twice
  // 5 + 6 · 0.5 us, and 64 · 7 · 7168 values of 0.5625 B out and 2 B back at 0.7 of 370.8 GB/s.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("b200");
  const StepModel step(
      {.model = model,
       .gpu = gpu,
       .fabric = h100_node(),
       .deployment = {.attention_dp = 8, .ep = 8, .formats = {.experts = NumberFormat::nvfp4}},
       .efficiency = {.reduce_us = 5, .reduce_rank_us = 0.5, .reduce_rate = 0.7}});
  const double start = 2 * (5 + 6 * 0.5) * 1e-6;
  const double bytes = 64.0 * 7 * 7168 * 2.5625;
  EXPECT_NEAR(step.time(decode_batch(64, 100)).communication,
              58 * (start + bytes / (0.7 * h100_node().nvlink.bytes_per_second())), 1e-6);
}

TEST(StepModel, TheFullestRankReceivesMoreAndRedundantExpertsLess) {
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("h100_sxm");
  Deployment d{.formats = {.experts = NumberFormat::fp8}};
  const auto time = [&] { return wide_model(model, gpu, d, 1.7).time(decode_batch(64, 100)); };
  const StepTime without = time();
  d.redundant_experts = 32;
  const StepTime with = time();
  // Graphs round tokens up to a multiple of 8.
  const auto loads = expert_popularity(256, StepEfficiency{}.skew);
  const double scale = 1.7 / unbalanced_load(loads, 8), alone = 58 * 64 * 8 * 7168 * 3.03125e-9;
  const double random = scale * unbalanced_load(loads, 32) * alone;
  const double balanced = scale * balanced_load(loads, 32, 32) * alone;
  for (const auto& [found, expected] :
       {std::pair{without.communication, random}, std::pair{with.communication, balanced}}) {
    EXPECT_GE(found, expected);
    EXPECT_LT(found, expected + 8.0 / 64 * alone);
  }
  EXPECT_LT(balanced, 0.75 * random);
}

TEST(StepModel, FewerRanksAreMoreEvenAndMoreRanksLess) {
  // Prompts of 4,096 tokens per copy, no exchange counted: the products of the fullest rank. With
  // as many tokens per rank, 4 ranks have 0.86 of the imbalance of 8, and 32 more than it.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("b200");
  const auto experts = [&](int ranks, double imbalance) {
    NodeFabric domain = h100_node();
    domain.gpus_per_node = 72;
    const StepModel step({.model = model,
                          .gpu = gpu,
                          .fabric = domain,
                          .deployment = {.attention_dp = ranks, .ep = ranks},
                          .efficiency = {.imbalance = imbalance, .quantize_us = 0}});
    return step.time(prompt_part(0, 4096, true)).experts;
  };
  const double four = experts(4, 2) / experts(4, 1e-9), eight = experts(8, 2) / experts(8, 1e-9);
  const double many = experts(32, 2) / experts(32, 1e-9);
  EXPECT_LT(four, 0.95 * eight);
  EXPECT_GT(many, 1.1 * eight);
}

TEST(StepModel, ExpertsSeeTheMeanOfCopiesThatStepTogether) {
  // A copy with 100 tokens beside others: 25 on average. Experts take the time of 25 tokens a copy,
  // everything else that of 100; the copy sends its 100 tokens.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("h100_sxm");
  const Deployment d{.formats = {.experts = NumberFormat::fp8}};
  const StepModel step = wide_model(model, gpu, d, 0);
  StepBatch mixed = decode_batch(100, 10);
  const StepTime alike = step.time(mixed);
  mixed.mean_tokens = 25;
  const StepTime time = step.time(mixed);
  EXPECT_DOUBLE_EQ(time.experts, step.time(decode_batch(25, 10)).experts);
  EXPECT_DOUBLE_EQ(time.linear, alike.linear);
  EXPECT_DOUBLE_EQ(time.communication, alike.communication);
}

TEST(StepModel, ExpandingACacheOfFourBitsCostsWhatEightBitsCost) {
  // Llama 3 8B: 65,536 values a token. With shares 0.8 and 0.5 a value of 16 bits takes 2 / 0.8
  // bytes of memory time, of 8 bits 1 / 0.5 = 2, so expanding takes 2 - 1 / 0.8 = 0.75; of 4 bits
  // with scales 0.53125 / 0.8 + 0.75.
  const Processor gpu = read_processor("h100_sxm");
  const Model llama = read_model("llama3_8b");
  const auto added = [&](NumberFormat kv) {
    const StepModel step = model_of(llama, gpu, {.formats = {.kv = kv}}, {.kv = 0.8, .kv8 = 0.5});
    return step.time(decode_batch(4, 3000)).attention - step.time(decode_batch(4, 2000)).attention;
  };
  const double values = 4 * 1000 * 65'536.0, rate = 3.35e12;
  EXPECT_NEAR(added(NumberFormat::int8), values * 2 / rate, 1e-9);
  EXPECT_NEAR(added(NumberFormat::int4), values * (0.53125 / 0.8 + 0.75) / rate, 1e-9);
}

}  // namespace
}  // namespace railyard::placement::serving
