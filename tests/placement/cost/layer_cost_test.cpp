// Times of layers on GPUs that lose nothing: by hand, from operations or bytes alone.
#include "placement/cost/layer_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "placement/cost/step.hpp"
#include "tests/placement/cost/ideal_gpus.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;

/// Every collective takes the same time.
class Same final : public CommunicationModel {
 public:
  explicit Same(Time time) : time_(time) {}
  Time time(const GroupCollective& collective) const override {
    return collective.shape.size < 2 ? Time() : time_;
  }

 private:
  Time time_;
};

/// 1 TFLOP/s in products; flash attention at a half of that forward and a quarter backward, that of
/// 2022 at a fifth and a tenth.
Processor computing() {
  Processor gpu = computing_gpu();
  gpu.spec.attention_efficiency = 0.5;
  gpu.spec.attention_backward_efficiency = 0.25;
  gpu.spec.flash1_efficiency = 0.2;
  gpu.spec.flash1_backward_efficiency = 0.1;
  return gpu;
}

/// 1 TB/s of memory: half of it for elementwise kernels, a quarter where they are eager, a fifth
/// for scores; products take no time.
Processor streaming() {
  Processor gpu = streaming_gpu();
  gpu.spec.stream_efficiency = 0.5;
  gpu.spec.eager_efficiency = 0.25;
  gpu.spec.score_efficiency = 0.2;
  return gpu;
}

struct Case {
  Job job = read_job("gpt3_175b");
  Processor gpu = computing();
  Same communication{Time()};
  TypeContext context() {
    return {.job = job, .gpu = gpu, .communication = communication, .gpus_per_node = 8};
  }
  LayerCost layer(const Strategy& s, bool experts = false) {
    return layer_cost(context(), s, group_shapes(s, kDefaultOrder, 8), experts);
  }
};

constexpr double kTera = 1e12;

void expect_seconds(Time time, double seconds, double within = 1e-6) {
  EXPECT_NEAR(time.seconds() / seconds, 1, within);
}

// A layer of GPT: 24bsh²(1 + s/6h) operations, an eighth on each of tp 8, backward twice; computed
// again whole, or the attention core's 4bs²h alone.
TEST(LayerCost, OperationsOfALayerOfGpt) {
  Case c;
  const double s = 2048, h = 12288;
  const double forward = 24 * s * h * h * (1 + s / (6 * h)) / 8 / kTera;
  const LayerCost full = c.layer({.tp = 8, .recompute = Recompute::full});
  expect_seconds(full.forward.compute, forward);
  expect_seconds(full.backward.compute, 2 * forward);
  EXPECT_EQ(full.recompute.compute, full.forward.compute);
  const LayerCost core = c.layer({.tp = 8, .recompute = Recompute::selective});
  expect_seconds(core.recompute.compute, 4 * s * s * h / 8 / kTera);
  EXPECT_EQ(c.layer({.tp = 8}).recompute.compute, Time());
  // Half of the tokens on each of two context ranks, against all keys: half of everything.
  expect_seconds(c.layer({.tp = 8, .cp = 2}).forward.compute, forward / 2);
}

// DeepSeek-V3's queries of 1536 x 128·192 and keys and values of 512 x 128·256 for 4096 tokens, on
// tp 8 an eighth; norms and swiglu are no products.
TEST(LayerCost, LatentProductsMayBeComputedAgain) {
  Case c;
  c.job = read_job("deepseek_v3");
  c.job.precision = Precision::bf16;
  const double products = 2 * 4096 * (1536 * 128 * 192.0 + 512 * 128 * 256.0) / kTera;
  expect_seconds(c.layer({.recompute_mla = true}, true).recompute.compute, products, 1e-5);
  const Strategy cut{.tp = 8, .recompute_mla = true, .sequence_parallel = true};
  expect_seconds(c.layer(cut, true).recompute.compute, products / 8, 1e-4);
  // The latent vectors are gathered once more.
  c.communication = Same(Time::from_seconds(1));
  EXPECT_EQ(c.layer(cut, true).recompute.tp, Time::from_seconds(1));
  EXPECT_EQ(c.layer({.recompute_mla = true}, true).recompute.tp, Time());
}

// At 500 GB/s: two norms that read and write 7168 numbers of 2 bytes, and swiglu of 3·2048 for each
// of 8 experts and the shared one; a dense layer has 18432 instead of 9·2048, which is as many.
TEST(LayerCost, NormsAndSwigluComputedAgainAreStreams) {
  Case c;
  c.job = read_job("deepseek_v3");
  c.job.precision = Precision::bf16;
  c.gpu = streaming();
  const double norms = 4096 * 2 * 4.0 * 7168 / 5e11, act = 4096 * 3 * 2 * 9 * 2048.0 / 5e11;
  for (const bool experts : {true, false}) {
    expect_seconds(c.layer({.recompute_norms = true}, experts).recompute.compute, norms);
    expect_seconds(c.layer({.recompute_act = true}, experts).recompute.compute, act);
  }
}

// Llama 3 8B with flash attention: 2 per weight and token, and 2·8192·4096 a token for the half of
// the square, at half of the peak; backward 2.5 times as much at a quarter.
TEST(LayerCost, FlashAttentionHasItsOwnRates) {
  Case c;
  c.job = read_job("llama3_8b");
  const double linear = 2 * 8192.0 * (41'943'040 + 176'160'768) / kTera;
  const double square = 8192 * 2.0 * 8192 * 4096 / kTera;
  const LayerCost flash = c.layer({});
  expect_seconds(flash.forward.compute, linear + square / 0.5);
  expect_seconds(flash.backward.compute, 2 * linear + 2.5 * square / 0.25);
  c.job.attention = AttentionKernel::flash1;
  const LayerCost first = c.layer({});
  expect_seconds(first.forward.compute, linear + square / 0.2);
  expect_seconds(first.backward.compute, 2 * linear + 2.5 * square / 0.1);
  // Products slow down with the clock, so does attention.
  c.gpu.spec.sustained_clock = 0.5;
  expect_seconds(c.layer({}).forward.compute, 2 * (linear + square / 0.2));
}

// Mixtral on tp 2, 4096 tokens: attention and flash are cut by two, and flash with 4096 keys takes
// (1 + 428/4096) / (1 + 428/8192) of the time at its efficiency; the router's 8 columns fill a
// tile of 64 for the rank's half of the tokens; each token meets 2 experts of 176,160,768, half of
// them on this rank. Experts cut by tp, on half as many ranks: as much.
TEST(LayerCost, OperationsOfALayerWithExperts) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  const double attention = 4096 * 41'943'040.0,
               square = 4096 * 4096.0 * 4096 / 0.5 * (1 + 428.0 / 4096) / (1 + 428.0 / 8192);
  const double router = 2048 * 4096.0 * 64, experts = 4096 * 2 * 176'160'768.0 / 2;
  const double forward = (attention + square + 2 * router + 2 * experts) / kTera;
  const Strategy whole{.tp = 2, .dp = 4, .ep = 4, .sequence_parallel = true};
  expect_seconds(c.layer(whole, true).forward.compute, forward);
  const Strategy cut{.tp = 2, .dp = 4, .ep = 2, .etp = 2, .sequence_parallel = true};
  expect_seconds(c.layer(cut, true).forward.compute, forward);
}

// Heads of 100 numbers of 2 bytes are no multiple of 16 bytes: their products run at `vector`.
TEST(LayerCost, RowsThatMatrixUnitsCannotLoadRunWithoutThem) {
  Case c;
  c.job.model.head_dim = 100;
  const Strategy s{.tp = 8, .recompute = Recompute::selective};
  const Time with = c.layer(s).recompute.compute;
  c.gpu.spec.vector = FlopRate::per_second(100'000'000'000);
  expect_seconds(c.layer(s).recompute.compute, 10 * with.seconds());
}

// Bytes per token of the table in docs/models/compute.md, x = 2, f = 4h, tp 1. Forward: norms 2·4h,
// sums 2·7h, gelu 16h, heads side by side 4h, 42h in all; softmax 4 and dropout 5 a score.
// Backward: norms 2·10h, masks, biases and sums 2·(5 + 2 + 6)h, gelu 32h, heads 4h and 18h: 100h; 6
// + 5 a score. Megatron 1.7B: h 2304, 24 heads, 2048 keys.
TEST(LayerCost, ElementwiseKernelsOfALayerOfGpt) {
  Case c;
  c.job.model = read_model("megatron_1.7b");
  c.gpu = streaming();
  const double tokens = 2048, h = 2304, scores = 24 * 2048;
  const LayerCost fused = c.layer({});
  expect_seconds(fused.forward.compute, tokens * (42 * h / 0.5 + 9 * scores / 0.2) / 1e12, 2e-4);
  expect_seconds(fused.backward.compute, tokens * (100 * h / 0.5 + 11 * scores / 0.2) / 1e12, 2e-4);
  c.job.kernels = KernelStyle::eager;
  expect_seconds(c.layer({}).forward.compute, tokens * (42 * h / 0.25 + 9 * scores / 0.2) / 1e12,
                 2e-4);
  // With tp 8 and sequence parallelism all of it is an eighth; without, norms and sums are not.
  c.job.kernels = KernelStyle::fused;
  expect_seconds(c.layer({.tp = 8, .sequence_parallel = true}).forward.compute,
                 tokens * (42 * h / 0.5 + 9 * scores / 0.2) / 8 / 1e12, 2e-4);
  expect_seconds(c.layer({.tp = 8}).forward.compute,
                 tokens * ((22 + 20.0 / 8) * h / 0.5 + 9 * scores / 8 / 0.2) / 1e12, 2e-4);
}

// A layer of Mixtral with experts, beside its dense one, streams 4 · 2 · 2h bytes a token more for
// putting copies with their experts and back, and the gate's 3 · 2f for one expert more.
TEST(LayerCost, TokensAreMovedToTheirExperts) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  c.gpu = streaming();
  const double more = (c.layer({}, true).forward.compute - c.layer({}).forward.compute).seconds();
  EXPECT_NEAR(more / (4096 * (16.0 * 4096 + 6 * 14336) / 0.5e12), 1, 2e-3);
}

// What products load and store, 2 bytes a number: forward T x k, k x n and T x n; the gradient of
// the input the same; of the weights n x T, T x k, and 8 bytes (read and written in fp32) of each
// of n x k. Of four matrices of h x (3h, h, 4h) and 4h x h: 6T·16h + 12·12h² bytes; 8·12h² with
// gradients of 16 bits.
TEST(LayerCost, GradientsOfWeightsAreAddedToTheirSum) {
  Case c;
  c.job.model = read_model("megatron_1.7b");
  c.job.attention = AttentionKernel::flash;
  c.gpu = streaming();
  c.gpu.spec.memory_efficiency = 1;
  c.gpu.spec.stream_efficiency = 1e9;
  const double tokens = 2048, h = 2304;
  const auto seconds = [&] {
    const LayerCost cost = c.layer({});
    return cost.forward.compute + cost.backward.compute;
  };
  c.job.gradients = GradientType::fp32;
  expect_seconds(seconds(), (96 * tokens * h + 144 * h * h) / 1e12, 1e-3);
  c.job.gradients = GradientType::fp16;
  expect_seconds(seconds(), (96 * tokens * h + 96 * h * h) / 1e12, 1e-3);
}

// The head is 2hV a token, cut by tp, backward twice; the embedding streams its table's gradient:
// zeroed and written in 2 bytes, read and added in 4, 12 bytes of each of 51200 x 2304 numbers, and
// 8h in, 4h back and (2·2 + 1)h of dropout twice for 2048 tokens.
TEST(LayerCost, EndsOfTheNetwork) {
  Case c;
  const Strategy s{.tp = 8};
  const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
  const LayerCost head = head_cost(c.context(), s, shapes);
  const double flops = 2 * 2048.0 * 12288 * 51200 / 8;
  expect_seconds(head.forward.compute, flops / kTera);
  expect_seconds(head.backward.compute, 2 * flops / kTera);
  c.job.model = read_model("megatron_1.7b");
  c.gpu = streaming();
  const LayerCost embedding = embedding_cost(c.context(), {}, shapes);
  expect_seconds(embedding.forward.compute, 2048 * (8 + 5) * 2304 / 0.5e12);
  expect_seconds(embedding.backward.compute,
                 (12.0 * 51200 * 2304 + 2048 * (4 + 5) * 2304) / 0.5e12);
}

/// What the parts of a layer of GPT-3 compute forward on tp 8, in seconds: attention and MLP.
constexpr double kBsh2 = 2048.0 * 12288 * 12288;
constexpr double kAttention = (8 * kBsh2 + 4 * 2048.0 * 2048 * 12288) / 8 / kTera;
constexpr double kMlp = 16 * kBsh2 / 8 / kTera;

double over(double time, double hidden) { return std::max(0.0, time - hidden); }

// Collectives of 0.7 s. Without sequence parallelism one behind each part; backward it runs beside
// a third of the part's products, which take 0.67 and 1.24 s. With it two each; backward the gather
// of gradients stands alone, the scatter and the second gather each have half of the products.
TEST(TensorParallel, CollectivesHideBehindProducts) {
  Case c;
  c.communication = Same(700_ms);
  const LayerCost whole = c.layer({.tp = 8});
  expect_seconds(whole.forward.tp, 1.4);
  expect_seconds(whole.backward.tp, over(0.7, 2 * kAttention / 3) + over(0.7, 2 * kMlp / 3));
  const LayerCost cut = c.layer({.tp = 8, .sequence_parallel = true});
  expect_seconds(cut.forward.tp, 2.8);
  expect_seconds(cut.backward.tp, 1.4 + 2 * (over(0.7, kAttention) + over(0.7, kMlp)));
}

// Blackwell's products leave no multiprocessor for a collective: all of them stand alone, six
// backward with sequence parallelism. Each starts 24 us late: 2 x 0.700024 s and 6 x 0.700024 s.
TEST(TensorParallel, NothingHidesBehindThePersistentProductsOfBlackwell) {
  Case c;
  c.communication = Same(700_ms);
  c.gpu.gpu.compute_capability = 100;
  EXPECT_EQ(c.layer({.tp = 8}).backward.tp, 1400_ms + 48_us);
  EXPECT_EQ(c.layer({.tp = 8, .sequence_parallel = true}).backward.tp, 4200_ms + 144_us);
}

// Each all_to_all of experts starts 24 us late too, unless another micro-batch's work hides it. So
// do those of Ulysses; the hops of a ring run beside attention.
TEST(TensorParallel, ExchangesOfExpertsAndHeadsStartLateOnBlackwell) {
  Case c;
  c.communication = Same(700_ms);
  c.job = read_job("mixtral_8x7b");
  const Time hopper = c.layer({.dp = 8, .ep = 8}, true).forward.ep;
  const Time hidden = c.layer({.dp = 8, .ep = 8, .ep_overlap = true}, true).forward.ep;
  const Time heads = c.layer({.cp = 2, .context = ContextKind::ulysses}).forward.cp;
  const Time ring = c.layer({.cp = 2}).forward.cp;
  c.gpu.gpu.compute_capability = 100;
  EXPECT_EQ(c.layer({.dp = 8, .ep = 8}, true).forward.ep, hopper + 48_us);
  EXPECT_EQ(c.layer({.dp = 8, .ep = 8, .ep_overlap = true}, true).forward.ep, hidden);
  EXPECT_EQ(c.layer({.cp = 2, .context = ContextKind::ulysses}).forward.cp, heads + 24_us);
  EXPECT_EQ(c.layer({.cp = 2}).forward.cp, ring);
}

// User buffers have no NCCL to start: the collectives of a pass, 2.8 s in pieces, are as late on
// Blackwell as on a GPU whose products make room.
TEST(TensorParallel, PiecesOverUserBuffersStartAtOnce) {
  Case c;
  c.communication = Same(700_ms);
  const Strategy s{.tp = 8, .sequence_parallel = true, .tp_overlap = true};
  const Time hopper = c.layer(s).forward.tp;
  c.gpu.gpu.compute_capability = 100;
  EXPECT_EQ(c.layer(s).forward.tp, hopper);
}

// With tp_overlap all but an eighth of what products with weights hide is hidden, and they lose a
// tenth of it. Not over two nodes.
TEST(TensorParallel, ProductsInPiecesHideAllButThePieceInFront) {
  Case c;
  c.communication = Same(700_ms);
  c.gpu.spec.communication_share = 0.1;
  Strategy s{.tp = 8, .sequence_parallel = true, .tp_overlap = true};
  const double hidden = 7.0 / 8 * (8 * kBsh2 / 8 / kTera + kMlp);
  expect_seconds(c.layer(s).forward.tp, 2.8 - 0.9 * hidden);
  s.tp = 16;
  const Time exposed = c.layer(s).forward.tp;
  s.tp_overlap = false;
  EXPECT_EQ(exposed, c.layer(s).forward.tp);
}

// In a step a collective gets the shares that the GPU's config says: inside a node, over the
// network, a ring of every other GPU over rails, one of the halves of a node over sockets too.
TEST(TensorParallel, CollectivesLoseAShareInAStep) {
  Case c;
  c.communication = Same(100_ms);
  c.gpu.spec.nvlink_in_step = 0.8;
  c.gpu.spec.network_in_step = 0.5;
  c.gpu.spec.rail_crossing = 0.5;
  c.gpu.spec.socket_crossing = 0.25;
  const TypeContext context = c.context();
  const auto ring = [&](const GroupShape& shape) {
    return context.collective({Kind::all_reduce, GroupRole::data, shape, 1});
  };
  EXPECT_EQ(ring({.size = 8, .per_node = 8}), 125_ms);
  EXPECT_EQ(ring({.size = 16, .per_node = 8}), 200_ms);
  EXPECT_EQ(ring({.size = 2, .beside = 8}), 200_ms);
  EXPECT_EQ(ring({.size = 8, .per_node = 4, .gpu_stride = 2, .beside = 2}), 400_ms);
  EXPECT_EQ(ring({.size = 4, .per_node = 2, .gpu_stride = 2, .beside = 4}), 400_ms);
  EXPECT_EQ(ring({.size = 4, .per_node = 2, .gpu_stride = 4, .beside = 4}), 1600_ms);
  const GroupShape halves{.size = 4, .per_node = 2, .gpu_stride = 4, .beside = 4};
  EXPECT_EQ(context.collective({Kind::all_to_all, GroupRole::data, halves, 1}), 200_ms);
  EXPECT_EQ(context.collective({Kind::send_recv, GroupRole::data, halves, 1}), 200_ms);
}

// Llama 3 8B over cp 4: three hops of 10 s, each beside a quarter of the flash kernel's time, which
// is that of 2048 tokens against half of 8192 keys; backward twice the hop beside twice the time.
TEST(ContextParallel, HopsHideBehindTheirPartOfAttention) {
  Case c;
  c.job = read_job("llama3_8b");
  c.communication = Same(10'000_ms);
  const LayerCost ring = c.layer({.cp = 4});
  const double part = 2048 * 2.0 * 8192 * 4096 / 0.5 / kTera / 4;
  expect_seconds(ring.forward.cp, 3 * (10 - part));
  expect_seconds(ring.backward.cp, 3 * (20 - 2 * part));
  // Short hops are hidden whole.
  c.communication = Same(1_ms);
  EXPECT_EQ(c.layer({.cp = 4}).forward.cp, Time());
}

// Llama 3 8B over cp 4 on 1 TB/s of which kernels get a half: of the 2,048 tokens of a rank queries
// (and outputs) are 4,096 x 2 bytes each, keys and values a quarter of heads, twice.
// Ring: 2(kv + q) and for three others (q + kv)/2 + 9q/4; backward 2(kv + q) and three times
// (3q + kv)/2 + 9(q + kv)/4. all_gather: 8kv; 32kv. Ulysses: 6(2q + kv), where t x c = 4 of 8 heads
// of keys are on each rank as before.
TEST(ContextParallel, TensorsAreCopiedAndSummedOnTheGpu) {
  Case c;
  c.job = read_job("llama3_8b");
  c.gpu = streaming();
  // Attention to 8,192 keys in place of 2,048 is below it on this GPU.
  constexpr double kOfAttention = 1e-4;
  const double q = 2048 * 4096 * 2, kv = q / 2;
  Job alone = c.job;
  alone.sequence /= 4;
  const auto copied = [&](ContextKind kind, bool backward) {
    const Strategy s{.cp = 4, .context = kind};
    Case one = c;
    one.job = alone;
    const LayerCost with = c.layer(s), without = one.layer({});
    const Time more = backward ? with.backward.compute - without.backward.compute
                               : with.forward.compute - without.forward.compute;
    return more.seconds() * 0.5e12;
  };
  EXPECT_NEAR(copied(ContextKind::ring, false) / (2 * (kv + q) + 3 * ((q + kv) / 2 + 2.25 * q)), 1,
              kOfAttention);
  EXPECT_NEAR(
      copied(ContextKind::ring, true) / (2 * (kv + q) + 3 * ((3 * q + kv) / 2 + 2.25 * (q + kv))),
      1, kOfAttention);
  EXPECT_NEAR(copied(ContextKind::all_gather, false) / (8 * kv), 1, kOfAttention);
  EXPECT_NEAR(copied(ContextKind::all_gather, true) / (32 * kv), 1, kOfAttention);
  EXPECT_NEAR(copied(ContextKind::ulysses, false) / (6 * (2 * q + kv)), 1, kOfAttention);
  EXPECT_NEAR(copied(ContextKind::ulysses, true) / (6 * (2 * q + kv)), 1, kOfAttention);
}

// A layer of GPT has 12h² weights in products, each with a gradient of 4 bytes that is added to its
// sum. On a GPU that streams alone the product that adds takes no time; a kernel of its own reads
// 2 and 4 bytes and writes 4. Where shards are kept, the 2 bytes become 4 in a collective's buffer,
// in place of the sum. Launches are those of the product's operation.
TEST(LayerCost, GradientsAreAddedByProductsOrByKernelsOrCopiedForTheirShards) {
  Case c;
  c.gpu = streaming();
  c.job.gradients = GradientType::fp32;
  const double weights = 12.0 * 12288 * 12288;
  const LayerCost fused = c.layer({});
  c.job.gradient_sum = GradientSum::separate;
  const LayerCost separate = c.layer({});
  expect_seconds(separate.backward.compute - fused.backward.compute, 10 * weights / 0.5e12);
  EXPECT_EQ(separate.backward.kernels, fused.backward.kernels);
  expect_seconds(fused.scatter.compute, 6 * weights / 0.5e12);
  EXPECT_NEAR(separate.scatter.compute.seconds(), -4 * weights / 0.5e12, 1e-6);
  EXPECT_EQ(fused.scatter.kernels, 0);
  c.job.gradients = GradientType::fp16;
  expect_seconds(c.layer({}).backward.compute - fused.backward.compute, 6 * weights / 0.5e12);
}

// Only ZeRO 2 and 3 scatter the gradients of each micro-batch.
TEST(PassTimes, ScatteredGradientsAreCopiedWithZero2And3) {
  BlockCosts blocks;
  blocks.dense.backward.compute = 10_ms;
  blocks.dense.scatter.compute = 1_ms;
  const auto backward = [&](int zero) {
    return pass_over({.dp = 8, .zero = zero}, blocks, {.dense = 3}, {}).backward.compute;
  };
  EXPECT_EQ(backward(0), 30_ms);
  EXPECT_EQ(backward(1), 30_ms);
  EXPECT_EQ(backward(2), 33_ms);
  EXPECT_EQ(backward(3), 33_ms);
  EXPECT_EQ(pass_over({.zero = 3}, blocks, {.dense = 3}, {}).backward.compute, 30_ms);
}

// Mixtral, ep 8: dispatch and combine of 10 s each; with ep_overlap what the layer computes hides,
// which loses a tenth of it.
TEST(ExpertParallel, ExchangesHideBehindAnotherMicroBatch) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  c.communication = Same(10'000_ms);
  c.gpu.spec.communication_share = 0.1;
  Strategy s{.dp = 8, .ep = 8};
  EXPECT_EQ(c.layer(s, true).forward.ep, 20'000_ms);
  s.ep_overlap = true;
  const LayerCost beside = c.layer(s, true);
  expect_seconds(beside.forward.ep, 20 - 0.9 * beside.forward.compute.seconds());
  expect_seconds(beside.backward.ep, 20 - 0.9 * beside.backward.compute.seconds());
}

// Three dense layers and two with experts, of which two, or four, are computed again: dense ones
// first.
TEST(PassTimes, TheFirstLayersAreComputedAgain) {
  BlockCosts blocks;
  blocks.dense.recompute.compute = 1_ms;
  blocks.sparse.recompute.compute = 100_ms;
  const ChunkLayers layers{.dense = 3, .sparse = 2};
  Strategy s{.recompute = Recompute::full, .recompute_layers = 2};
  EXPECT_EQ(pass_over(s, blocks, layers, {}).backward.compute, 2_ms);
  s.recompute_layers = 4;
  EXPECT_EQ(pass_over(s, blocks, layers, {}).backward.compute, 103_ms);
  s.recompute_layers = 0;
  EXPECT_EQ(pass_over(s, blocks, layers, {}).backward.compute, 203_ms);
}

// Ten kernels of a millisecond's launch: a pass of 5 ms on the GPU takes 10, of 20 ms 20; where the
// host waits for each, 15 and 30. Of 4 ms that compute forward, 16/5 make gradients of weights.
TEST(PassTimes, AreTheGpusOrItsHosts) {
  Case c;
  c.gpu.spec.launch = 1_ms;
  RankPass pass;
  pass.forward = {.compute = 4_ms, .tp = 1_ms, .kernels = 10};
  pass.backward = {.compute = 20_ms, .kernels = 10};
  const ChunkTimes times = pass_times(c.context(), pass);
  EXPECT_EQ(times.forward, 10_ms);
  EXPECT_EQ(times.backward, 20_ms);
  EXPECT_EQ(times.weight, 3200_us);
  c.job.blocking_launches = true;
  EXPECT_EQ(pass_times(c.context(), pass).forward, 15_ms);
  EXPECT_EQ(pass_times(c.context(), pass).backward, 30_ms);
}

}  // namespace
}  // namespace railyard::placement
