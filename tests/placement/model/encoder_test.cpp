#include "placement/model/encoder.hpp"

#include <gtest/gtest.h>

#include "placement/cost/activations.hpp"
#include "placement/cost/closed_form.hpp"
#include "placement/cost/encoder_cost.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/step.hpp"
#include "placement/mapping/step_traffic.hpp"
#include "placement/model/flops.hpp"
#include "placement/model/parameters.hpp"
#include "placement/search/search.hpp"
#include "placement/strategy/stages.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

std::int64_t total(const char* model) { return count_parameters(read_model(model)).total; }

// Queries, keys, values, projection h x 16384 each; MLP 2h x 65536, with h = 1024. An encoder layer
// has one attention and two norms, a decoder layer two and three; 24 of each. The table of 32128
// words is input of both and head; 32 x 128 relative biases a stack, a norm behind each. 11.3
// billion: "11B" of arXiv 1910.10683; 11,307,321,344 by its checkpoint.
TEST(Encoder, ParametersOfT5OfElevenBillionByHand) {
  const std::int64_t h = 1024, attention = 4 * h * 16384, mlp = 2 * h * 65536;
  const std::int64_t encoder = 24 * (attention + mlp + 2 * h) + h + 32 * 128;
  const std::int64_t decoder = 24 * (2 * attention + mlp + 3 * h) + h + 32 * 128;
  const ModelParameters p = count_parameters(read_model("t5_11b"));
  EXPECT_EQ(p.encoder, encoder);
  EXPECT_EQ(p.total, encoder + decoder + 32128 * h);
  EXPECT_EQ(p.total, 11'307'321'344);
  EXPECT_EQ(total("t5_3b"), 2'851'598'336);  // its checkpoint's
}

// v1.1: three matrices of 4096 x 10240, 64 heads of 64, a head of its own: 11.1 billion with a
// table of words counted once, 11.27 where the encoder's copy is counted too.
TEST(Encoder, ParametersOfT5Version11ByHand) {
  const std::int64_t h = 4096, attention = 4 * h * h, mlp = 3 * h * 10240;
  const std::int64_t layers = 24 * (3 * attention + 2 * mlp + 5 * h);
  const std::int64_t rest = 2 * 32128 * h + 2 * h + 2 * 32 * 64;
  EXPECT_EQ(total("t5_v1_1_xxl"), layers + rest);
  EXPECT_EQ(total("t5_v1_1_xxl"), 11'135'332'352);
  EXPECT_EQ(total("mt5_xxl"), layers + rest + 2 * (250112 - 32128) * h);  // 12.9 billion: "13B"
}

// h = 1280: attention 4h² + 3h (keys have no bias), MLP 8h² + 5h, norms 2h each, two or three;
// convolutions 3 x 128 x h + h and 3h x h + h; positions 1500 and 448, 51,866 words. Published:
// 1,550 million (table 1 of arXiv 2212.04356), 1.54 billion by its checkpoint.
TEST(Encoder, ParametersOfWhisperByHand) {
  const std::int64_t h = 1280, attention = 4 * h * h + 3 * h, mlp = 8 * h * h + 5 * h;
  const std::int64_t stem = 384 * h + h + 3840 * h + h;
  const std::int64_t encoder = stem + 1500 * h + 32 * (attention + mlp + 4 * h) + 2 * h;
  const std::int64_t decoder = (51866 + 448) * h + 32 * (2 * attention + mlp + 6 * h) + 2 * h;
  EXPECT_EQ(total("whisper_large_v3"), encoder + decoder);
  EXPECT_EQ(total("whisper_large_v3"), 1'543'490'560);
}

// T5 v1.1 XXL over 512 and 128 tokens. A token of the encoder meets 4h² + 3hf weights and 512 keys
// a layer; one of the decoder as many weights, 128 keys of its own (scores in memory: the masked
// half is computed too), 2h² of cross-attention and 512 keys; keys and values of the encoder's 512
// are 2h² each; and the head. Forward and backward: 3 times two operations.
TEST(Encoder, OperationsOfT5ByHand) {
  const Job job = read_job("t5_v1_1_xxl");
  const double h = 4096, f = 10240, layers = 24;
  const double own = 4 * h * h + 3 * h * f;
  const double encoder = 512 * layers * (2 * own + 4 * 512 * h);
  const double self = 128 * layers * (2 * own + 4 * 128 * h);
  const double cross = layers * (128 * (2 * 2 * h * h + 4 * 512 * h) + 512 * 2 * 2 * h * h);
  EXPECT_DOUBLE_EQ(encoder_flops(job), 3 * encoder);
  EXPECT_DOUBLE_EQ(step_flops(job), 2048 * 3 * (encoder + self + cross + 2 * h * 32128 * 128.0));
  // Recomputed, all of it but the head goes forward once more.
  EXPECT_DOUBLE_EQ(step_flops_recomputed(job) - step_flops(job), 2048 * (encoder + self + cross));
  // 6 operations a parameter and token that meets it, attention's products aside: of the decoder's
  // 6.24 billion, 0.81 meet the encoder's tokens.
  const double rule = 6 * (512 * (4.63e9 + 0.81e9) + 128 * (6.24e9 - 0.81e9));
  EXPECT_NEAR(step_flops(job) / 2048, rule, 0.06 * rule);
}

// Whisper: 3,000 frames through 384 x 1280 and 1,500 through 3840 x 1280, then 1,500 tokens.
TEST(Encoder, OperationsOfAWhisperEncoderByHand) {
  Job job = read_job("whisper_large_v3");
  const double h = 1280;
  const double stem = 2 * 384 * h * 3000 + 2 * 3840 * h * 1500;
  const double layers = 32 * 1500.0 * (2 * 12 * h * h + 4 * 1500 * h);
  EXPECT_DOUBLE_EQ(encoder_flops(job), 3 * (stem + layers));
  job.model.encoder->frozen = true;
  EXPECT_DOUBLE_EQ(encoder_flops(job), stem + layers);
}

// One layer of the decoder, unfused, tp 1, a sequence of s = 128 with 512 in front; per token of
// 16-bit values: norms' inputs and what follows 3 x 4h, own queries, keys, values, context 8h, own
// scores 2as, MLP 6f; cross-attention queries and context 4h, scores 2a·512; and per token of the
// encoder keys and values 4h.
TEST(Encoder, ActivationsOfADecoderLayerByHand) {
  const Job job = read_job("t5_v1_1_xxl");
  const std::int64_t h = 4096, f = 10240, a = 64;
  const std::int64_t own = 12 * h + 8 * h + 2 * a * 128 + 6 * f;
  const std::int64_t cross = 4 * h + 2 * a * 512;
  EXPECT_EQ(layer_activations(job, {}, Recompute::none, false).count(),
            128 * (own + cross) + 512 * 4 * h);
  EXPECT_EQ(layer_activations(job, {}, Recompute::full, false).count(), 128 * 2 * h);
  EXPECT_DOUBLE_EQ(encoder_output_bytes(job, {.micro_batch = 3}), 3 * 512 * 2 * 4096.0);
}

// On stages of its own the encoder has a copy of the embedding on the first, and the decoder its
// table behind it with a norm; each stage of the decoder keeps the encoder's output.
TEST(Encoder, MemoryOfStagesByHand) {
  const Job job = read_job("t5_v1_1_xxl");
  const Strategy s{.pp = 4, .dp = 1, .tower_stages = 2};
  const double h = 4096, table = 32128 * h, layer = 4 * h * h + 3 * h * 10240;
  const double encoder = 24 * (layer + 2 * h) + h + 32 * 64;
  const double decoder = 24 * (layer + 4 * h * h + 3 * h);
  EXPECT_DOUBLE_EQ(stage_parameters(job, s, 0).dense, encoder / 2 + table);
  EXPECT_DOUBLE_EQ(stage_parameters(job, s, 1).dense, encoder / 2);
  EXPECT_DOUBLE_EQ(stage_parameters(job, s, 2).dense, decoder / 2 + table + 32 * 64);
  EXPECT_DOUBLE_EQ(stage_parameters(job, s, 3).dense, decoder / 2 + table + h);
  // In one place there is one table (and the head, which is not tied).
  EXPECT_DOUBLE_EQ(stage_parameters(job, {}, 0).dense, encoder + decoder + 2 * table + 32 * 64 + h);
  // Two of the pipeline's micro-batches are in flight on its third stage.
  const std::int64_t layers = 12 * layer_activations(job, s, Recompute::none, false).count();
  EXPECT_EQ(stage_memory(job, s, 2, {}).activations.count(), 2 * (layers + 512 * 2 * 4096));
}

// Between stages of the decoder goes the encoder's output with the decoder's tokens; where the
// decoder has one stage, the output alone does.
TEST(Encoder, ItsOutputGoesDownThePipeline) {
  const Job job = read_job("t5_v1_1_xxl");
  EXPECT_DOUBLE_EQ(hop_bytes(job, {.pp = 4, .tower_stages = 2}), (128 + 512) * 2 * 4096.0);
  EXPECT_DOUBLE_EQ(hop_bytes(job, {.pp = 2, .tower_stages = 1}), 512 * 2 * 4096.0);
  EXPECT_DOUBLE_EQ(hop_bytes(job, {.tp = 8, .pp = 4, .micro_batch = 2}),
                   2 * (128 + 512) * 2 * 4096.0 / 8);
}

class EncoderCost : public testing::Test {
 protected:
  Job job_ = read_job("t5_v1_1_xxl");
  Processor gpu_ = read_processor("a100_sxm_80");
  ClosedForm model_{
      {.gpus_per_node = 8, .nvlink = 240_GBps, .nics = 200_GBps, .nic_count = 8, .overheads = {}}};
  TypeContext context_{.job = job_, .gpu = gpu_, .communication = model_, .gpus_per_node = 8};
};

// A decoder layer does more than one of the same model without an encoder, by at least the time of
// its operations at the GPU's peak, and stages add up.
TEST_F(EncoderCost, CrossAttentionAndTheEncoderTakeTheirTime) {
  const Strategy s{.tp = 8, .pp = 1, .micro_batch = 4, .sequence_parallel = true};
  const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
  const BlockCosts blocks = block_costs(context_, s, shapes);
  Job alone = job_;
  alone.model.encoder.reset();
  const TypeContext without{.job = alone, .gpu = gpu_, .communication = model_, .gpus_per_node = 8};
  const LayerCost plain = layer_cost(without, s, shapes, false);
  const double h = 4096;
  const double work = 4 * (128 * (4 * h * h + 4 * 512 * h) + 512 * 4 * h * h) / 8;
  const double more = (blocks.dense.forward.compute - plain.forward.compute).seconds();
  EXPECT_GT(more, work / 312e12);
  EXPECT_LT(more, 6 * work / 312e12);
  // Two collectives around it as around each part, and one for the encoder's tokens.
  EXPECT_GT(blocks.dense.forward.tp * 2, plain.forward.tp * 3);
  EXPECT_GT(blocks.tower.backward.total(), blocks.tower.forward.total());
  const RankPass all = rank_pass(context_, s, blocks, 0);
  EXPECT_EQ(all.forward.total(), blocks.dense.forward.total() * 24 + blocks.tower.forward.total() +
                                     blocks.embedding.forward.total() +
                                     blocks.head.forward.total());
}

// On Blackwell six collectives around the three parts of a layer, forward, and the gather of the
// encoder's tokens start 24 us late each: 7 x 24 us. Forward nothing hides them on other GPUs.
TEST_F(EncoderCost, TheEncodersTokensStartAsLateAsTheOthers) {
  const Strategy s{.tp = 8, .pp = 1, .micro_batch = 4, .sequence_parallel = true};
  const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
  const Time before = layer_cost(context_, s, shapes, false).forward.tp;
  gpu_.gpu.compute_capability = 100;
  EXPECT_EQ(layer_cost(context_, s, shapes, false).forward.tp, before + 168_us);
}

TEST_F(EncoderCost, ASearchPutsTheEncoderOnStagesOfItsOwn) {
  SearchSpace space{.gpus = 64, .top = 5, .overlap = false};
  const SearchResult found = search(context_, space);
  ASSERT_FALSE(found.best.empty());
  for (const ScoredStrategy& one : found.best) EXPECT_TRUE(is_valid(job_, one.strategy, 64));
  space.prune = false;
  EXPECT_EQ(search(context_, space).best.front().strategy, found.best.front().strategy);
}

TEST(Encoder, WrongSplitsSaySo) {
  const Job t5 = read_job("t5_v1_1_xxl"), whisper = read_job("whisper_large_v3");
  EXPECT_TRUE(is_valid(t5, {.pp = 4, .dp = 2, .tower_stages = 3}, 8));
  EXPECT_EQ(strategy_problems(t5, {.dp = 4, .cp = 2}, 8, "").front().message,
            "cp 2 is not supported: it does not divide the attention to the encoder's tokens, "
            "which T5 v1.1 XXL has in every "
            "layer");
  // 448 tokens divide by 8, 1,500 do not.
  Job wide = whisper;
  wide.model.heads = 64;
  wide.model.encoder->heads = 64;
  EXPECT_EQ(strategy_problems(wide, {.tp = 8, .sequence_parallel = true}, 8, "").front().message,
            "1500 tokens of the encoder are not divisible by tp 8");
}

// tp all_reduces behind three parts; the encoder's tokens count apart.
TEST(Encoder, TrafficOfAStepHasTheEncodersTokens) {
  const Job job = read_job("t5_v1_1_xxl");
  const Strategy s{.tp = 8, .dp = 8, .micro_batch = 1};
  const std::vector<TrafficPhase> phases = step_traffic(job, s);
  ASSERT_GE(phases.size(), 2U);
  EXPECT_EQ(phases[0].name, "tp");
  EXPECT_EQ(phases[0].count, 3 * 24 * 2 * 256);
  EXPECT_EQ(phases[1].name, "tp encoder");
  // Behind two parts of 24 layers, forward and backward; and once a layer of the decoder.
  EXPECT_EQ(phases[1].count, (2 * 24 * 2 + 24) * 256);
  EXPECT_EQ(phases[1].traffic.front().bytes.count(), 2 * 512 * 4096 * 2 * 7 / 8);
}

}  // namespace
}  // namespace railyard::placement
