#include "placement/memory.hpp"

#include <gtest/gtest.h>

#include "placement/activations.hpp"
#include "placement/parameters.hpp"
#include "placement/stages.hpp"

namespace railyard::placement {
namespace {

Job korthikanti(const std::string& model, int batch) {
  return {.model = read_model(model),
          .batch = batch,
          .sequence = 2048,
          .precision = Precision::fp16,
          .attention = AttentionKernel::unfused,
          .gradients = GradientType::fp32};
}

double stage_activations_gib(const Job& job, const Strategy& s) {
  const double layers = stage_layers(job.model, s, 0).total();
  return static_cast<double>(layer_activations(job, s, s.recompute, false).count()) * layers *
         in_flight(job.batch, s, 0) / 0x1p30;
}

struct Korthikanti {
  const char* model;
  int batch, micro_batch, pp, interleave;
  double none, selective;  ///< GiB on the first stage
};
class KorthikantiFigure1 : public testing::TestWithParam<Korthikanti> {};

// ../shared/truth/training.json, korthikanti2022_table5.activation_memory_fig1_GiB: the published
// values of arXiv 2205.05198, figure 1, tp 8 without and with sequence parallelism.
TEST_P(KorthikantiFigure1, ActivationsAreThePublishedOnes) {
  const auto& [model, batch, micro_batch, pp, v, none, selective] = GetParam();
  const Job job = korthikanti(model, batch);
  Strategy s{.tp = 8, .pp = pp, .micro_batch = micro_batch, .interleave = v};
  s.schedule = v > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
  EXPECT_DOUBLE_EQ(stage_activations_gib(job, s), none);
  s.sequence_parallel = true;
  s.recompute = Recompute::selective;
  EXPECT_DOUBLE_EQ(stage_activations_gib(job, s), selective);
}
INSTANTIATE_TEST_SUITE_P(
    All, KorthikantiFigure1,
    testing::Values(Korthikanti{"megatron_22b", 4, 4, 1, 1, 59.25, 9.5625},
                    Korthikanti{"gpt3_175b", 64, 1, 8, 3, 66.84375, 12.3515625},
                    Korthikanti{"megatron_530b", 280, 1, 35, 3, 114.0234375, 23.076171875},
                    Korthikanti{"megatron_1t", 512, 1, 64, 1, 131.25, 26.5625}));

// 2sbh: 2 * 2048 * 12288 bytes; with sequence parallelism cut by 8.
TEST(Activations, FullRecomputationKeepsTheInputOfALayer) {
  const Job job = korthikanti("gpt3_175b", 64);
  Strategy s{.tp = 8};
  EXPECT_EQ(layer_activations(job, s, Recompute::full, false), Bytes(2LL * 2048 * 12288));
  s.sequence_parallel = true;
  EXPECT_EQ(layer_activations(job, s, Recompute::full, false), Bytes(2LL * 2048 * 12288 / 8));
}

// Llama 3 70B, per token: 8h + 4h + 4h/8 + 6*28672 + 4*64 = 8*8192 + 4*8192 + 4096 + 172032 + 256.
TEST(Activations, AModernBlockHasGroupedHeadsAndAGate) {
  Job job = read_job("llama3_70b");
  EXPECT_EQ(layer_activations(job, {.tp = 1}, Recompute::none, false),
            Bytes(8192LL * (12 * 8192 + 4096 + 172032 + 256)));
  // Context parallelism of 4 cuts the tokens, nothing else.
  EXPECT_EQ(layer_activations(job, {.tp = 1, .cp = 4}, Recompute::none, false),
            Bytes(8192LL / 4 * (12 * 8192 + 4096 + 172032 + 256)));
}

// 16 bytes a parameter (16-bit gradients): 175B parameters are 2.8 TB.
TEST(Memory, TrainingStateOfGpt3Is2800Gigabytes) {
  Job job = korthikanti("gpt3_175b", 1536);
  job.gradients = GradientType::fp16;
  const MemoryParts parts = stage_memory(job, {.tp = 1}, 0, Bytes());
  const Bytes state = parts.weights + parts.gradients + parts.optimizer;
  const std::int64_t learned = count_parameters(job.model).total;
  EXPECT_NEAR(static_cast<double>(state.count()), 16.0 * static_cast<double>(learned), 1e7);
  EXPECT_NEAR(state.gigabytes(), 2800, 15);
}

// ZeRO: 2 + 4 + 12/8; 2 + (4 + 12)/8; (2 + 4 + 12)/8 bytes a parameter over 8 replicas.
TEST(Memory, ZeroDividesWhatItsStageSays) {
  const Job job = korthikanti("megatron_1.7b", 512);
  const double p = stage_parameters(job, {.dp = 8}, 0).dense;
  const auto state = [&](int zero) {
    const MemoryParts parts = stage_memory(job, {.dp = 8, .zero = zero}, 0, Bytes());
    return static_cast<double>((parts.weights + parts.gradients + parts.optimizer).count()) / p;
  };
  EXPECT_NEAR(state(0), 18, 1e-6);
  EXPECT_NEAR(state(1), 7.5, 1e-6);
  EXPECT_NEAR(state(2), 4, 1e-6);
  EXPECT_NEAR(state(3), 2.25, 1e-6);
}

// Sharding inside groups of 4 of the 8 replicas: 6 + 12/4.
TEST(Memory, AShardGroupHoldsOneCopy) {
  const Job job = korthikanti("megatron_1.7b", 512);
  const double p = stage_parameters(job, {.dp = 8}, 0).dense;
  const MemoryParts parts = stage_memory(job, {.dp = 8, .zero = 1, .shard_group = 4}, 0, Bytes());
  EXPECT_NEAR(static_cast<double>(parts.optimizer.count()) / p, 3, 1e-6);
}

// Mixtral: experts of a layer 8 * 3*4096*14336 over ep 4 are two experts a rank, and their
// optimizer is shared by dp / ep = 2 ranks, the rest by all 8.
TEST(Memory, ExpertsAreSpreadOverTheirOwnRanks) {
  const Job job = read_job("mixtral_8x7b");
  const Strategy s{.dp = 8, .ep = 4, .zero = 1};
  const StageParameters p = stage_parameters(job, s, 0);
  EXPECT_EQ(p.experts, 32.0 * 2 * 3 * 4096 * 14336);
  EXPECT_NEAR(static_cast<double>(stage_memory(job, s, 0, Bytes()).optimizer.count()),
              12 * (p.dense / 8 + p.experts / 2), 1);
}

// Stage 0 of 8 holds min(m, 8), the last one; GPipe all 64; DualPipe 9.
TEST(Memory, MicroBatchesInFlightFollowTheSchedule) {
  Strategy s{.pp = 8};
  EXPECT_EQ(in_flight(64, s, 0), 8);
  EXPECT_EQ(in_flight(64, s, 7), 1);
  EXPECT_EQ(in_flight(4, s, 0), 4);
  s.schedule = PipelineSchedule::gpipe;
  EXPECT_EQ(in_flight(64, s, 3), 64);
  s.schedule = PipelineSchedule::dualpipe;
  EXPECT_EQ(in_flight(64, s, 3), 9);
}

// 126 layers of Llama 3 405B on 16 x 8 chunks: with embedding and head 128 units, one a chunk; the
// first and the last chunk have none.
TEST(Stages, EmbeddingAndHeadMayCountAsLayers) {
  const Model model = read_model("llama3_405b");
  const Strategy s{.pp = 16, .interleave = 8, .even_ends = true};
  EXPECT_EQ(chunk_layers(model, s, 0).total(), 0);
  EXPECT_EQ(chunk_layers(model, s, 127).total(), 0);
  EXPECT_EQ(stage_layers(model, s, 0).total(), 7);
  EXPECT_EQ(stage_layers(model, s, 8).total(), 8);
}

// DeepSeek-V3: 61 layers in 16 stages, the first three of them dense.
TEST(Stages, UnevenLayersAreSpreadAndDenseOnesComeFirst) {
  const Model model = read_model("deepseek_v3");
  const Strategy s{.pp = 16};
  int layers = 0, dense = 0;
  for (int stage = 0; stage < 16; ++stage) {
    const ChunkLayers chunk = stage_layers(model, s, stage);
    EXPECT_TRUE(chunk.total() == 3 || chunk.total() == 4);
    layers += chunk.total();
    dense += chunk.dense;
  }
  EXPECT_EQ(layers, 61);
  EXPECT_EQ(dense, 3);
}

}  // namespace
}  // namespace railyard::placement
