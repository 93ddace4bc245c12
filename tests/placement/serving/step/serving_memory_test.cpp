#include "placement/serving/step/serving_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace railyard::placement::serving {
namespace {

TEST(ServingMemory, KeysAndValuesShardDownToOneHead) {
  // Llama 3 70B: 2 · 80 · 8 · 128 · 2 B = 327,680 B; 8 heads over 8 ranks, and copies over 16.
  const Model model = read_model("llama3_70b");
  const Processor gpu = read_processor("h100_sxm");
  EXPECT_DOUBLE_EQ(serving_memory(model, gpu, {.tp = 1}).kv_token_bytes, 327'680);
  EXPECT_DOUBLE_EQ(serving_memory(model, gpu, {.tp = 8}).kv_token_bytes, 40'960);
  EXPECT_DOUBLE_EQ(serving_memory(model, gpu, {.tp = 16}).kv_token_bytes, 40'960);
}

TEST(ServingMemory, LatentAttentionIsNotCutByTensorParallelism) {
  // DeepSeek-V3: 61 · (512 + 64) · 2 B.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("h200_sxm");
  for (const int tp : {1, 8})
    EXPECT_DOUBLE_EQ(serving_memory(model, gpu, {.tp = tp}).kv_token_bytes, 70'272) << tp;
}

TEST(ServingMemory, DataParallelAttentionKeepsTheLatentCacheOfASequenceOnOneGpu) {
  // DeepSeek-V3, bf16 cache: 61 · (512 + 64) · 2 B = 70,272 B a token. tp 8 stores it on each of
  // the 8 GPUs, which thus share one set of sequences; with 8 copies of attention each GPU holds
  // the cache of sequences of its own.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("h200_sxm");
  const Formats fp8{
      .attention = NumberFormat::fp8, .mlp = NumberFormat::fp8, .experts = NumberFormat::fp8};
  const Deployment tp{.tp = 8, .ep = 8, .formats = fp8};
  const Deployment dp{.attention_dp = 8, .ep = 8, .formats = fp8};
  const ServingMemory cut = serving_memory(model, gpu, tp), copied = serving_memory(model, gpu, dp);
  EXPECT_DOUBLE_EQ(cut.kv_token_bytes, 70'272);
  EXPECT_DOUBLE_EQ(copied.kv_token_bytes, 70'272);
  // A copy has attention and dense layers whole, about 17 of the 671 GB: 17 · 7/8 more than the
  // 84 GB of a rank of tp 8.
  EXPECT_GT(copied.weights, cut.weights);
  EXPECT_LT(copied.weights, 1.25 * cut.weights);
  // Sequences of 2,000 tokens of the whole replica: eight times those of a GPU's pool, not one.
  const double of_tp = cut.sequences(2000, 16), of_dp = 8 * copied.sequences(2000, 16);
  EXPECT_DOUBLE_EQ(of_tp, std::floor(cut.kv_pool / (2000 * 70'272.0)));
  EXPECT_DOUBLE_EQ(of_dp, 8 * std::floor(copied.kv_pool / (2000 * 70'272.0)));
  EXPECT_GT(of_dp, 4 * of_tp);
}

TEST(ServingMemory, RedundantExpertsTakeWeights) {
  // 256 experts over 32 ranks are 8 per rank; with 32 copies 9. DeepSeek-V3 has 58 layers of
  // experts of 3 · 7168 · 2048 weights.
  const Model model = read_model("deepseek_v3");
  const Processor gpu = read_processor("h200_sxm");
  Deployment d{.attention_dp = 32, .ep = 32};
  const double without = serving_memory(model, gpu, d).weights;
  d.redundant_experts = 32;
  const double one = 58 * 3.0 * 7168 * 2048 * 2;
  EXPECT_NEAR(serving_memory(model, gpu, d).weights - without, one, 1e-6 * one);
}

TEST(ServingMemory, AFourBitCacheHasItsScales) {
  // Llama 3 8B: 2 · 32 · 8 · 128 values a token. int4: 128 values of half a byte and two fp16 for
  // scale and zero point, 68 B per head; nvfp4: 64 B and 8 scales of 1 B, 72 B.
  const Model model = read_model("llama3_8b");
  const Processor gpu = read_processor("b200");
  const auto bytes = [&](NumberFormat kv) {
    return serving_memory(model, gpu, {.formats = {.kv = kv}}).kv_token_bytes;
  };
  EXPECT_DOUBLE_EQ(bytes(NumberFormat::int4), 2 * 32 * 8 * 68);
  EXPECT_DOUBLE_EQ(bytes(NumberFormat::nvfp4), 2 * 32 * 8 * 72);
  EXPECT_DOUBLE_EQ(bytes(NumberFormat::int8), 2 * 32 * 8 * 128);
}

TEST(ServingMemory, WeightsAreThoseOfTheModel) {
  // Llama 3 8B: 8,030,261,248 parameters of 2 B.
  const ServingMemory memory =
      serving_memory(read_model("llama3_8b"), read_processor("h100_sxm"), {});
  EXPECT_NEAR(memory.weights, 2 * 8'030'261'248.0, 1e6);
}

TEST(ServingMemory, ASequenceTakesWholeBlocks) {
  // 17 tokens are 2 blocks of 16; 10 sequences of 32 · 100 B fit into 32,000 B.
  const ServingMemory memory{.kv_pool = 32'000, .kv_token_bytes = 100};
  EXPECT_DOUBLE_EQ(memory.sequence_bytes(17, 16), 3200);
  EXPECT_DOUBLE_EQ(memory.sequences(17, 16), 10);
}

TEST(ServingMemory, TheSmallestTensorParallelismThatFits) {
  // 70B in bf16 has 141 GB of weights: more than 77 GB (0.9 of 85.5), less than two times that.
  const Model model = read_model("llama3_70b");
  const Processor gpu = read_processor("h100_sxm");
  EXPECT_EQ(smallest_tp(model, gpu, {}, 2300, 8), 2);
  // DeepSeek-V3 in fp8, 671 GB: more than 4 times 77 GB, and with activations than 8 times.
  const Formats fp8{
      .attention = NumberFormat::fp8, .mlp = NumberFormat::fp8, .experts = NumberFormat::fp8};
  EXPECT_EQ(smallest_tp(read_model("deepseek_v3"), gpu, {.formats = fp8}, 2300, 8), std::nullopt);
  EXPECT_EQ(smallest_tp(read_model("deepseek_v3"), gpu, {.formats = fp8}, 2300, 16), 16);
}

TEST(NumberFormat, BytesOfAValueHaveItsScales) {
  EXPECT_DOUBLE_EQ(bytes_per_value(NumberFormat::bf16), 2);
  EXPECT_DOUBLE_EQ(bytes_per_value(NumberFormat::nvfp4), 0.5625);
  // 4 bit, and 20 bit of scale and zero point per 128.
  EXPECT_DOUBLE_EQ(bytes_per_value(NumberFormat::int4), (128 * 4 + 20) / 8.0 / 128);
}

TEST(NumberFormat, FormatsThatTheGpuDoesNotComputeAreExpanded) {
  const Processor a100 = read_processor("a100_sxm_80"), b200 = read_processor("b200");
  EXPECT_EQ(weight_arithmetic(a100, NumberFormat::fp8).peak, a100.spec.fp16);
  EXPECT_DOUBLE_EQ(weight_arithmetic(a100, NumberFormat::fp8).left_bytes, 2);
  EXPECT_EQ(weight_arithmetic(a100, NumberFormat::int8).peak.per_second(), 624'000'000'000'000);
  EXPECT_EQ(weight_arithmetic(b200, NumberFormat::nvfp4).peak.per_second(), 9'000'000'000'000'000);
  EXPECT_EQ(weight_arithmetic(b200, NumberFormat::int4).peak, b200.spec.fp16);
}

}  // namespace
}  // namespace railyard::placement::serving
