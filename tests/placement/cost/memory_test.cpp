#include "placement/cost/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "placement/cost/activations.hpp"
#include "placement/cost/pipeline.hpp"
#include "placement/model/parameters.hpp"
#include "placement/strategy/stages.hpp"

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
         micro_batches_in_flight(micro_batches(job.batch, s), s, 0) / 0x1p30;
}

struct Korthikanti {
  const char* model;
  int batch, micro_batch, pp, interleave;
  double none, selective;  ///< GiB on the first stage
};
class KorthikantiFigure1 : public testing::TestWithParam<Korthikanti> {};

// arXiv 2205.05198, figure 1: the published
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
  const MemoryParts parts = stage_memory(job, {.tp = 1}, 0, {});
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
    const MemoryParts parts = stage_memory(job, {.dp = 8, .zero = zero}, 0, {});
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
  const MemoryParts parts = stage_memory(job, {.dp = 8, .zero = 1, .shard_group = 4}, 0, {});
  EXPECT_NEAR(static_cast<double>(parts.optimizer.count()) / p, 3, 1e-6);
}

// Mixtral: experts of a layer 8 * 3*4096*14336 over ep 4 are two experts a rank, and their
// optimizer is shared by dp / ep = 2 ranks, the rest by all 8.
TEST(Memory, ExpertsAreSpreadOverTheirOwnRanks) {
  const Job job = read_job("mixtral_8x7b");
  const Strategy s{.dp = 8, .ep = 4, .zero = 1};
  const StageParameters p = stage_parameters(job, s, 0);
  EXPECT_EQ(p.experts, 32.0 * 2 * 3 * 4096 * 14336);
  EXPECT_NEAR(static_cast<double>(stage_memory(job, s, 0, {}).optimizer.count()),
              12 * (p.dense / 8 + p.experts / 2), 1);
}

// Stage 0 of 8 holds min(m, 8), the last one; GPipe all 64; DualPipe 9.
TEST(Memory, MicroBatchesInFlightFollowTheSchedule) {
  Strategy s{.pp = 8};
  EXPECT_EQ(micro_batches_in_flight(64, s, 0), 8);
  EXPECT_EQ(micro_batches_in_flight(64, s, 7), 1);
  EXPECT_EQ(micro_batches_in_flight(4, s, 0), 4);
  s.schedule = PipelineSchedule::gpipe;
  EXPECT_EQ(micro_batches_in_flight(64, s, 3), 64);
  s.schedule = PipelineSchedule::dualpipe;
  EXPECT_EQ(micro_batches_in_flight(64, s, 3), 9);
}

// Megatron's interleaving: rank i does 2(p - i - 1) + (v - 1)p chunks before its first backward one
// and one more beside it: for p 8, v 3 at rank 0 31 chunks, a third of a stage each, at rank 7 17.
TEST(Memory, InterleavedRanksAllWarmUpForLong) {
  const Strategy s{.pp = 8, .interleave = 3, .schedule = PipelineSchedule::interleaved};
  EXPECT_DOUBLE_EQ(micro_batches_in_flight(64, s, 0), 31.0 / 3);
  EXPECT_DOUBLE_EQ(micro_batches_in_flight(64, s, 7), 17.0 / 3);
}

// What the formulas say of micro-batches under way is what the passes of run_pipeline leave:
// forward passes done whose backward pass is not, and backward ones whose gradients of weights are
// not made.
TEST(Memory, MicroBatchesInFlightAreThoseOfTheTimeline) {
  using namespace literals;
  for (const auto& [schedule, v] : {std::pair{PipelineSchedule::gpipe, 1},
                                    {PipelineSchedule::one_f_one_b, 1},
                                    {PipelineSchedule::zero_bubble, 1},
                                    {PipelineSchedule::interleaved, 2},
                                    {PipelineSchedule::interleaved, 3}}) {
    const Pipeline p{.schedule = schedule, .ranks = 4, .interleave = v, .micro_batches = 16};
    const Strategy s{.pp = 4, .interleave = v, .schedule = schedule};
    const std::vector<ChunkTimes> chunks(static_cast<std::size_t>(4 * v), {1_ms, 2_ms, 1_ms});
    std::array<int, 4> held{}, most{}, waiting{}, most_waiting{};
    for (const PipelinePass& pass : run_pipeline(p, chunks).passes) {
      const auto rank = static_cast<std::size_t>(pass.rank);
      if (pass.kind == 'F') most[rank] = std::max(most[rank], ++held[rank]);
      if (pass.kind == 'B') --held[rank], ++waiting[rank];
      if (pass.kind == 'W') --waiting[rank];
      // Between passes of one micro-batch: B and its W follow each other.
      if (pass.kind == 'F') most_waiting[rank] = std::max(most_waiting[rank], waiting[rank]);
    }
    for (int rank = 0; rank < 4; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      EXPECT_DOUBLE_EQ(micro_batches_in_flight(16, s, rank), static_cast<double>(most[r]) / v);
      const bool later = schedule == PipelineSchedule::zero_bubble;
      EXPECT_EQ(awaiting_weight_gradients(16, s, rank), later ? most_waiting[r] : 0);
    }
  }
}

// arXiv 2401.10241, table 1: of 34sbh (without scores) a layer keeps 32sbh until its gradients of
// weights are made, all but two masks. GPT-3, tp 8 with sequence parallelism, 12 layers a stage:
// sbh / 8 is 3,145,728. Stage 0 holds 8 micro-batches; stage 7 one, and 7 wait. Of 4 micro-batches
// one and 3.
TEST(Memory, ZeroBubbleKeepsWhatGradientsOfWeightsNeed) {
  Job job = korthikanti("gpt3_175b", 64);
  const Strategy s{.tp = 8,
                   .pp = 8,
                   .recompute = Recompute::selective,
                   .sequence_parallel = true,
                   .schedule = PipelineSchedule::zero_bubble};
  const auto activations = [&](int stage) { return stage_memory(job, s, stage, {}).activations; };
  const std::int64_t unit = 12LL * 3'145'728;
  EXPECT_EQ(activations(0), Bytes(unit * 34 * 8));
  EXPECT_EQ(activations(7), Bytes(unit * (34 + 7 * 32)));
  job.batch = 4;
  EXPECT_EQ(activations(7), Bytes(unit * (34 + 3 * 32)));
}

// Two stages of Llama 3 8B: each rank of DualPipe holds both, embedding and head, and a loss; with
// ZeRO over 4 the 8 ranks that hold a stage share its optimizer. 3 micro-batches are under way.
TEST(Memory, DualPipeHoldsTwoStages) {
  Job job = read_job("llama3_8b");
  const Strategy s{.pp = 2, .dp = 4, .zero = 1, .schedule = PipelineSchedule::dualpipe};
  const auto all = static_cast<double>(count_parameters(job.model).total);
  for (const int rank : {0, 1}) {
    const MemoryParts parts = stage_memory(job, s, rank, {});
    EXPECT_EQ(static_cast<double>(parts.weights.count()), 2 * all);
    EXPECT_EQ(static_cast<double>(parts.gradients.count()), job.gradient_bytes() * all);
    EXPECT_EQ(static_cast<double>(parts.optimizer.count()), 12 * all / 8);
    EXPECT_EQ(parts.buffers, logits(job, s));
    EXPECT_EQ(parts.activations.count(),
              3 * 16 * layer_activations(job, s, Recompute::none, false).count());
  }
  const Strategy whole{.pp = 2, .dp = 4, .schedule = PipelineSchedule::dualpipe};
  EXPECT_EQ(static_cast<double>(stage_memory(job, whole, 0, {}).optimizer.count()), 12 * all);
}

// The stages hold the model: without tensor parallelism exactly, a tied head twice.
TEST(Memory, StagesTogetherHoldTheModel) {
  for (const char* name : {"gpt3_175b", "llama3_70b", "deepseek_v3", "mixtral_8x7b"}) {
    const Job job = read_job(name);
    const Model& m = job.model;
    double sum = m.tied_embeddings ? -static_cast<double>(m.hidden) * m.vocabulary : 0;
    for (int stage = 0; stage < 4; ++stage) {
      const StageParameters p = stage_parameters(job, {.pp = 4}, stage);
      sum += p.dense + p.experts;
    }
    EXPECT_EQ(sum, static_cast<double>(count_parameters(m).total)) << name;
  }
}

// DeepSeek-V3, one dense layer on tp 8: what makes heads of the compressed vectors, 128 heads of
// 1536 x 192 + 512 x 256, and 16384 x 7168 behind them, is cut; 7168 x (1536 + 576) is not, nor the
// norms, 2 x 7168 + 1536 + 512 and 7168 behind the layers; the MLP 3 x 7168 x 18432 and two tables
// of 129280 x 7168 are.
TEST(Memory, CompressionOfLatentAttentionIsWholeOnEachRank) {
  Job job = read_job("deepseek_v3");
  job.model.layers = job.model.moe->dense_layers = 1;
  const double cut =
      128.0 * (1536 * 192 + 512 * 256) + 16384.0 * 7168 + 3.0 * 7168 * 18432 + 2.0 * 129280 * 7168;
  EXPECT_EQ(stage_parameters(job, {.tp = 8}, 0).dense,
            cut / 8 + 7168.0 * (1536 + 576) + 3 * 7168 + 1536 + 512);
}

// Per token of its 4096, two bytes each: 4 x 7168 in front of norms and products, compressed
// queries and keys before and behind their norms and the rotary key, all cut by sequence; 128 heads
// of 192 + 128 twice, MLP 3 x 18432, row sums of 4 bytes a head, cut by heads.
TEST(Activations, LatentAttentionKeepsCompressedAndFullVectors) {
  Job job = read_job("deepseek_v3");
  job.precision = Precision::bf16;
  job.fp8_act_input = false;
  const std::int64_t whole = 2 * (4 * 7168 + 2 * (1536 + 512) + 64);
  const std::int64_t cut = 2 * (2 * 128 * 320 + 3 * 18432) + 4 * 128;
  EXPECT_EQ(layer_activations(job, {.tp = 1}, Recompute::none, false), Bytes(4096 * (whole + cut)));
  EXPECT_EQ(layer_activations(job, {.tp = 8, .sequence_parallel = true}, Recompute::none, false),
            Bytes(4096 / 8 * (whole + cut)));
  // Experts: 8 copies of 7168 and of 3 x 2048 inside, and the shared expert's 3 x 2048.
  const std::int64_t attention = 2 * 2 * 128 * 320 + 4 * 128;
  EXPECT_EQ(layer_activations(job, {.tp = 1}, Recompute::none, true),
            Bytes(4096 * (whole + attention + 2 * (8 * (7168 + 3 * 2048) + 3 * 2048))));
}

// Mixtral's two experts a token; with 1.5 slots for each token's copy half as many more. Experts
// that are cut too have all of a copy's row on each of their ranks.
TEST(Activations, ExpertsKeepTheirSlots) {
  Job job = read_job("mixtral_8x7b");
  const auto bytes = [&](const Strategy& s) {
    return layer_activations(job, s, Recompute::none, true).count();
  };
  const std::int64_t free = bytes({.tp = 1});
  job.model.moe->capacity = 1.5;
  EXPECT_EQ(bytes({.tp = 1}) - free, 4096 * 2 * (4096 + 3 * 14336));
  job.model.moe->capacity = 0;
  EXPECT_EQ(bytes({.tp = 2, .etp = 2, .sequence_parallel = true}) -
                bytes({.tp = 2, .sequence_parallel = true}),
            4096 * 2 * 2 * 4096 / 2);
}

// Llama 3 405B has 8 heads of keys and values: on 16 ranks each holds one, 1/8 of them.
TEST(Memory, RanksBeyondTheHeadsOfKeysHoldCopies) {
  const Job job = read_job("llama3_405b");
  const double eight = stage_parameters(job, {.tp = 8}, 0).dense;
  const double sixteen = stage_parameters(job, {.tp = 16}, 0).dense;
  const double norms = 126 * 2 * 16384.0 + 16384;
  EXPECT_EQ(2 * (sixteen - norms) - (eight - norms), 126 * 2.0 * 128 * 16384);
  const auto bytes = [&](int tp) {
    const Strategy s{.tp = tp, .sequence_parallel = true};
    return layer_activations(job, s, Recompute::none, false).count();
  };
  EXPECT_EQ(2 * bytes(16) - bytes(8), 8192 * 2 * 2 * 128);
}

// Of 4 layers on a stage the first 3 are recomputed, of DeepSeek-V3 those are the dense ones.
TEST(Memory, RecomputedLayersAreTheFirst) {
  Job job = read_job("deepseek_v3");
  job.model.layers = 4;
  Strategy s{.dp = 1, .recompute = Recompute::full, .recompute_layers = 3};
  const Bytes input = layer_activations(job, s, Recompute::full, false);
  const Bytes sparse = layer_activations(job, s, Recompute::none, true);
  EXPECT_EQ(stage_memory(job, s, 0, {}).activations, input * 3 + sparse);
  s.recompute_layers = 1;
  EXPECT_EQ(stage_memory(job, s, 0, {}).activations,
            input + layer_activations(job, s, Recompute::none, false) * 2 + sparse);
}

// Llama 3 70B, cp 4: 2048 tokens of a rank, 8 heads of 128 + 128, 2 bytes. A ring holds those that
// it computes with and those that arrive, and their gradients; a gather all four ranks' and their
// gradients; Ulysses keys and values of all for the rank's heads, and queries and context.
TEST(Memory, ContextParallelismHoldsKeysOfOthers) {
  const Job job = read_job("llama3_70b");
  const std::int64_t kv = 2048LL * 8 * 256 * 2;
  const auto buffers = [&](ContextKind kind) {
    return stage_memory(job, {.pp = 2, .cp = 4, .context = kind}, 0, {}).buffers;
  };
  EXPECT_EQ(buffers(ContextKind::ring), Bytes(4 * kv));
  EXPECT_EQ(buffers(ContextKind::all_gather), Bytes(2 * 4 * kv));
  EXPECT_EQ(buffers(ContextKind::ulysses), Bytes(kv + 2048LL * 64 * 256 * 2));
}

// Llama 3 8B: a layer of 218,112,000 and a table of 128256 x 4096. ZeRO 3 holds a layer and a table
// (the head arrives while the last layer computes), and a layer's gradients; ZeRO 2 these alone.
TEST(Memory, ShardedWeightsAreGatheredALayerAhead) {
  const Job job = read_job("llama3_8b");
  const double layer = 218'112'000, table = 128256.0 * 4096, loss = 8192.0 * 128256 * 6;
  const auto buffers = [&](const Strategy& s, int stage) {
    return static_cast<double>(stage_memory(job, s, stage, {}).buffers.count());
  };
  EXPECT_EQ(buffers({.dp = 8, .zero = 3}, 0), loss + 2 * (layer + table) + 4 * layer);
  EXPECT_EQ(buffers({.dp = 8, .zero = 2}, 0), loss + 4 * layer);
  EXPECT_EQ(buffers({.dp = 8, .zero = 1}, 0), loss);
  // Between the ends two layers.
  EXPECT_EQ(buffers({.pp = 4, .dp = 8, .zero = 3}, 1), 2 * 2 * layer + 4 * layer);
}

// GPipe's last stage has done all forward passes before the first backward one: a loss of each.
TEST(Memory, GpipeHoldsTheLossesOfAllMicroBatches) {
  Job job = read_job("llama3_8b");
  job.batch = 6;
  Strategy s{.pp = 2, .schedule = PipelineSchedule::gpipe};
  EXPECT_EQ(stage_memory(job, s, 1, {}).buffers, logits(job, s) * 6);
  s.schedule = PipelineSchedule::one_f_one_b;
  EXPECT_EQ(stage_memory(job, s, 1, {}).buffers, logits(job, s));
}

// Experts that tensor parallelism does not cut have replicas on its ranks too: Mixtral on tp 4, dp
// 2, ep 2 has 4 of each, over which their optimizer is shared, though the rest has only 2.
TEST(Memory, ExpertsAreShardedOverTensorRanksToo) {
  const Job job = read_job("mixtral_8x7b");
  const Strategy s{.tp = 4, .dp = 2, .ep = 2, .zero = 1, .sequence_parallel = true};
  EXPECT_EQ(s.expert_shards(), 4);
  const StageParameters p = stage_parameters(job, s, 0);
  EXPECT_NEAR(static_cast<double>(stage_memory(job, s, 0, {}).optimizer.count()),
              12 * (p.dense / 2 + p.experts / 4), 1);
}

// Mixtral's experts of a layer, cut by ep 2 and by tp 2 inside: a quarter of them.
TEST(Memory, ExpertsAreCutByTheirTensorRanksToo) {
  const Job job = read_job("mixtral_8x7b");
  const Strategy s{.tp = 2, .dp = 2, .ep = 2, .etp = 2, .sequence_parallel = true};
  EXPECT_EQ(stage_parameters(job, s, 0).experts, 32.0 * 8 * 3 * 4096 * 14336 / 4);
}

// fp32: weights and gradients of 4 bytes, two moments, no master copy.
TEST(Memory, WithoutMixedPrecisionThereIsNoMasterCopy) {
  Job job = korthikanti("megatron_1.7b", 512);
  job.precision = Precision::fp32;
  const double p = stage_parameters(job, {.dp = 8}, 0).dense;
  const MemoryParts parts = stage_memory(job, {.dp = 8}, 0, {});
  EXPECT_EQ(static_cast<double>(parts.weights.count()), 4 * p);
  EXPECT_EQ(static_cast<double>(parts.gradients.count()), 4 * p);
  EXPECT_EQ(static_cast<double>(parts.optimizer.count()), 8 * p);
}

// GPT with one layer on tp 8: 12h² + 11h of weights and biases, the words' table cut, positions and
// three norms whole.
TEST(Memory, PositionsAreWholeOnEachRank) {
  Job job = korthikanti("megatron_1.7b", 512);
  job.model.layers = 1;
  const double h = 2304;
  EXPECT_EQ(stage_parameters(job, {.tp = 8}, 0).dense,
            (12 * h * h + 9 * h + 51200 * h) / 8 + 2048 * h + 6 * h);
}

// What is offloaded leaves; of activations two layers are left, of weights two layers gathered.
TEST(Memory, OffloadedPartsLeave) {
  const Job job = korthikanti("megatron_1.7b", 512);
  const Strategy s{.pp = 2, .dp = 8};
  const auto memory = [&](Strategy with) { return stage_memory(job, with, 0, {}); };
  Strategy optimizer = s, weights = s, activations = s;
  optimizer.offload_optimizer = weights.offload_weights = activations.offload_activations = true;
  EXPECT_EQ(memory(optimizer).optimizer, Bytes());
  EXPECT_EQ(memory(optimizer).weights, memory(s).weights);
  EXPECT_EQ(memory(weights).weights, Bytes());
  EXPECT_GT(memory(weights).buffers, memory(s).buffers);
  EXPECT_EQ(memory(activations).activations, layer_activations(job, s, Recompute::none, false) * 2);
}

// One micro-batch on two equal stages of Llama 3 8B: the last one has the loss as well.
TEST(Memory, TheLastStageMayBeTheFullest) {
  Job job = read_job("llama3_8b");
  job.batch = 1;
  const Strategy s{.pp = 2};
  const Bytes last = stage_memory(job, s, 1, {}).total();
  EXPECT_GT(last, stage_memory(job, s, 0, {}).total());
  EXPECT_EQ(peak_memory(job, s, {}).total(), last);
}

// round(c · 10 / 4), half up: 0, 3, 5, 8, 10.
TEST(Stages, LayersAreDealtByRounding) {
  Model model = read_model("llama3_8b");
  model.layers = 10;
  std::vector<int> layers;
  for (int stage = 0; stage < 4; ++stage)
    layers.push_back(stage_layers(model, {.pp = 4}, stage).total());
  EXPECT_EQ(layers, (std::vector{3, 2, 3, 2}));
}

// Four chunks of a layer on two ranks, the first two layers dense: rank 0 has chunks 0 and 2.
TEST(Stages, ARankHasEveryOtherChunk) {
  Model model = read_model("deepseek_v3");
  model.layers = 4;
  model.moe->dense_layers = 2;
  const Strategy s{.pp = 2, .interleave = 2, .schedule = PipelineSchedule::interleaved};
  EXPECT_EQ(stage_layers(model, s, 0), (ChunkLayers{.dense = 1, .sparse = 1}));
  EXPECT_EQ(stage_layers(model, s, 1), (ChunkLayers{.dense = 1, .sparse = 1}));
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

// GPT keeps 34 bytes per token and unit of h in 16 bit. In 8 bit the inputs of QKV and of the MLP
// are a byte each (4h -> 2h), the MLP's second input (8h -> 4h); the projection has a copy of the
// context (h more): 29.
TEST(Memory, Fp8KeepsTheInputsOfProductsInEightBits) {
  Job job = korthikanti("gpt3_175b", 64);
  job.attention = AttentionKernel::flash;
  job.precision = Precision::bf16;
  Job eight = job;
  eight.precision = Precision::fp8;
  const Strategy s{.tp = 1, .pp = 8, .dp = 1};
  const auto layer = [&](const Job& one) {
    return static_cast<double>(layer_activations(one, s, Recompute::none, false).count());
  };
  const double unit = 2048.0 * job.model.hidden;
  EXPECT_NEAR((layer(job) - layer(eight)) / unit, 5, 1e-9);
  // Both copies of the layers' weights: 2 bytes for each parameter of 12 layers of 12 h^2 and less
  // than 20 h more.
  const double h = job.model.hidden, layers = 12;
  const auto weights = [&](const Job& one, int zero) {
    Strategy sharded = s;
    sharded.zero = zero;
    return static_cast<double>(stage_memory(one, sharded, 1, {}, 8).weights.count());
  };
  const double copies = weights(eight, 0) - weights(job, 0);
  EXPECT_GE(copies, 2 * layers * 12 * h * h);
  EXPECT_LE(copies, 2 * layers * (12 * h * h + 20 * h));
  EXPECT_EQ(weights(eight, 3), weights(job, 3));
}

// DeepSeek-V3 in fp8, a layer with experts, bytes per token. Kept in any case: inputs of the two
// norms 2·2·7168, compressed vectors before their norms and the rotary key 2·(2048 + 64), context
// 16384 in 16 bit and in 8, row sums 4·128, 8 copies of 7168 and gate and value of 2·2048 in 8 bit
// for each, and the shared expert's: 176,768. Made again: outputs of the norms 2·7168 + 2·2048, of
// swiglu 9·2048, queries and keys of 192 and values of 128 for 128 heads, 2 bytes each.
TEST(Activations, OperationsComputedAgainKeepNoOutputs) {
  const Job job = read_job("deepseek_v3");
  const std::int64_t kept =
      4 * 7168 + 2 * (2048 + 64) + 3 * 16384 + 4 * 128 + 8 * (7168 + 2 * 2048) + 2 * 2048;
  EXPECT_EQ(kept, 176'768);
  const std::int64_t norms = 2 * 7168 + 2 * 2048, act = 9 * 2048, mla = 2 * 128 * (192 + 192 + 128);
  Strategy s{.tp = 1};
  const auto layer = [&] {
    return layer_activations(job, s, Recompute::none, true).count() / 4096;
  };
  EXPECT_EQ(layer(), kept + norms + act + mla);
  s.recompute_norms = true;
  EXPECT_EQ(layer(), kept + act + mla);
  s.recompute_act = true;
  EXPECT_EQ(layer(), kept + mla);
  s.recompute_mla = true;
  EXPECT_EQ(layer(), kept);
  EXPECT_EQ(recomputed_outputs(job, s, true), Bytes(4096 * (norms + act + mla)));
  // What waits for the gradients of weights has been made again.
  EXPECT_EQ(weight_gradient_inputs(job, s, true), weight_gradient_inputs(job, {.tp = 1}, true));
}

// The outputs of one layer are there while its backward pass runs.
TEST(Memory, OutputsMadeAgainAreBuffers) {
  const Job job = read_job("deepseek_v3");
  const Strategy plain{.pp = 16, .dp = 64, .ep = 64, .zero = 1};
  Strategy again = plain;
  again.recompute_norms = again.recompute_act = again.recompute_mla = true;
  const auto memory = [&](const Strategy& s) { return stage_memory(job, s, 4, {}, 32); };
  EXPECT_EQ(memory(again).buffers - memory(plain).buffers, recomputed_outputs(job, again, true));
  EXPECT_LT(memory(again).activations, memory(plain).activations);
}

// A master copy of 4 bytes and two moments of 2; without mixed precision the moments alone.
TEST(Memory, MomentsMayBeIn16Bits) {
  Job job = korthikanti("megatron_1.7b", 512);
  const double p = stage_parameters(job, {.dp = 8}, 0).dense;
  const auto optimizer = [&] {
    return static_cast<double>(stage_memory(job, {.dp = 8}, 0, {}).optimizer.count());
  };
  EXPECT_EQ(optimizer(), 12 * p);
  job.moments = MomentType::bf16;
  EXPECT_EQ(optimizer(), 8 * p);
  job.precision = Precision::fp32;
  EXPECT_EQ(optimizer(), 4 * p);
}

}  // namespace
}  // namespace railyard::placement
