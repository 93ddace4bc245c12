#include "placement/model/flops.hpp"

#include <gtest/gtest.h>

#include "placement/model/parameters.hpp"

namespace railyard::placement {
namespace {

Job gpt3() {
  Job job = read_job("gpt3_175b");
  job.attention = AttentionKernel::unfused;
  return job;
}

// arXiv 2104.04473, equation 3: with full recomputation 96 B s L h^2 (1 + s/6h + V/16Lh); without,
// by the same count of products, 72 B s L h^2 (1 + s/6h + V/12Lh).
TEST(Flops, AStepOfGptFollowsTheFormulaOfMegatron) {
  const Job job = gpt3();
  const double B = job.batch, s = 2048, L = 96, h = 12288, V = 51200;
  const double with = 96 * B * s * L * h * h * (1 + s / (6 * h) + V / (16 * L * h));
  const double without = 72 * B * s * L * h * h * (1 + s / (6 * h) + V / (12 * L * h));
  EXPECT_NEAR(step_flops_recomputed(job) / with, 1, 1e-12);
  EXPECT_NEAR(step_flops(job) / without, 1, 1e-12);
}

// arXiv 2005.14165, table D.1: 3,640 PF-days = 3.14e23, counting 6 per parameter and token of
// 174.6B: 6 * 174.6e9 * 300e9 = 3.143e23. The sum here adds scores and context, s/6h = 2.8 %, and
// the head with its padding is the embedding that the count has.
TEST(Flops, Gpt3Takes314ZettaflopFor300BillionTokens) {
  const Job job = gpt3();
  const double parameters = 174.6e9;
  const double attention = 3.0 * 4 * 2048 * 12288 * 96 * 300e9;
  EXPECT_NEAR(6 * parameters * 300e9, 314e21, 1e21);
  EXPECT_NEAR(training_flops(job) - attention, 314e21, 1e21);
}

// A token of Llama 3 8B with flash attention at 8,192: scores and context 2*s*h*2/2 per layer.
TEST(Flops, FlashSkipsTheMaskedHalf) {
  const Job job = read_job("llama3_8b");
  EXPECT_EQ(layer_flops(job, 1, false).attention, 2.0 * 8192 * 4096);
  EXPECT_EQ(layer_flops(job, 1, false).linear, 2.0 * (41'943'040 + 176'160'768));
}

// DeepSeek-V3, dense: 7168 x 1536 and 1536 x 128 x 192 for queries, 7168 x 576 and 512 x 128 x 256
// for keys and values, 16384 x 7168 behind, MLP 3 x 7168 x 18432; norms are no products. Scores
// over 192, context over 128 of 128 heads, half of 4096 keys.
TEST(Flops, LatentAttentionCompressesAndExpands) {
  const Job job = read_job("deepseek_v3");
  const double attention =
      7168.0 * 1536 + 1536.0 * 128 * 192 + 7168.0 * 576 + 512.0 * 128 * 256 + 16384.0 * 7168;
  EXPECT_EQ(layer_flops(job, 1, false).linear, 2 * (attention + 3.0 * 7168 * 18432));
  EXPECT_EQ(layer_flops(job, 1, false).attention, 2.0 * 4096 * 128 * (192 + 128) / 2);
}

// Two of eight experts, and the router: 2 (41,943,040 + 2 * 3*4096*14336 + 4096*8).
TEST(Flops, ATokenMeetsItsTopExperts) {
  const Job job = read_job("mixtral_8x7b");
  EXPECT_EQ(layer_flops(job, 1, true).linear, 2.0 * (41'943'040 + 2 * 176'160'768 + 32'768));
}

}  // namespace
}  // namespace railyard::placement
