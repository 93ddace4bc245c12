#include "placement/cost/step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;

/// A picosecond a byte, and remembers what it was asked: volumes can be read off.
class Volumes final : public CommunicationModel {
 public:
  Time time(const GroupCollective& collective) const override {
    const auto& [kind, role, shape, bytes] = collective;
    if (shape.size < 2) return Time();
    asked[kind] += bytes;
    over[{kind, shape.size}] += bytes;
    return Time::picoseconds(static_cast<std::int64_t>(bytes));
  }
  mutable std::map<Kind, double> asked;
  mutable std::map<std::pair<Kind, std::uint32_t>, double> over;  ///< by the size of the group too
};

struct Case {
  Job job = read_job("gpt3_175b");
  Processor gpu = read_processor("a100_sxm_80");
  Volumes volumes{};
  TypeContext context() {
    gpu.spec.nvlink_in_step = gpu.spec.network_in_step = 1;
    return {.job = job, .gpu = gpu, .communication = volumes, .gpus_per_node = 8};
  }
  StepCost step(const Strategy& s) {
    volumes.asked.clear();
    volumes.over.clear();
    const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
    return step_cost(context(), s, shapes, block_costs(context(), s, shapes));
  }
  LayerCost layer(const Strategy& s, bool experts = false) {
    return layer_cost(context(), s, group_shapes(s, kDefaultOrder, 8), experts);
  }
};

// Two all_reduce of 2bsh forward, two backward; two more when the layer is computed again.
TEST(Volume, TensorParallelismReducesTwiceAPass) {
  Case c;
  const double bytes = 2.0 * 1 * 2048 * 12288;
  const LayerCost plain = c.layer({.tp = 8});
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 4 * bytes);
  EXPECT_EQ(plain.forward.tp.picoseconds(), static_cast<std::int64_t>(2 * bytes));
  const LayerCost again = c.layer({.tp = 8, .recompute = Recompute::full});
  EXPECT_EQ(again.recompute.tp, plain.forward.tp);
}

// A checkpoint that ends at the last tensor needed leaves out the MLP's second product and the
// all_reduce behind it: one of the two.
TEST(Volume, RecomputationThatStopsEarlyReducesOnce) {
  Case c;
  const LayerCost whole = c.layer({.tp = 8, .recompute = Recompute::full});
  const LayerCost early = c.layer({.tp = 8, .recompute = Recompute::full, .early_stop = true});
  EXPECT_EQ(early.recompute.tp * 2, whole.recompute.tp);
  EXPECT_LT(early.recompute.compute, whole.recompute.compute);
}

// With sequence parallelism all_gather and reduce_scatter twice a pass, of the same 2bsh, and
// backward the two inputs are gathered once more (arXiv 2205.05198, section 4.2.2).
TEST(Volume, SequenceParallelismGathersAndScatters) {
  Case c;
  const LayerCost cost = c.layer({.tp = 8, .sequence_parallel = true});
  const double bytes = 2.0 * 2048 * 12288;
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 6 * bytes);
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 4 * bytes);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 0);
  // Forward all of it stands in the way. Backward the scatter and the second gather have products
  // beside them that take longer than a picosecond a byte.
  EXPECT_EQ(cost.forward.tp.picoseconds(), static_cast<std::int64_t>(4 * bytes));
  EXPECT_EQ(cost.backward.tp.picoseconds(), static_cast<std::int64_t>(2 * bytes));
}

// The embedding's sum over the vocabulary is scattered, its gradient gathered; in front of the head
// tokens are gathered, backward once more, and its gradient scattered. Without sequence parallelism
// one all_reduce behind the embedding and one of the head's gradient.
TEST(Volume, EndsOfTheNetworkHaveOneSide) {
  Case c;
  const double bytes = 2.0 * 2048 * 12288;
  const Strategy cut{.tp = 8, .sequence_parallel = true}, whole{.tp = 8};
  const GroupShapes shapes = group_shapes(cut, kDefaultOrder, 8);
  (void)embedding_cost(c.context(), cut, shapes);
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], bytes);
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], bytes);
  (void)head_cost(c.context(), cut, shapes);
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 2 * bytes);
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 3 * bytes);
  (void)embedding_cost(c.context(), whole, shapes);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], bytes);
  (void)head_cost(c.context(), whole, shapes);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 2 * bytes);
}

// DeepSeek-V3's attention: what enters what tensor parallelism cuts are the compressed queries,
// keys and values, 1536 + 512 + 64 numbers a token, not the 7168 that leave it. Of 4096 tokens,
// 2 bytes each: forward gathered 2112 and 7168 (the MLP), scattered 7168 twice; backward gathered
// 7168 twice, and 2112 and 7168 again, scattered 2112 and 7168.
TEST(Volume, LatentAttentionGathersWhatIsCompressed) {
  Case c;
  c.job = read_job("deepseek_v3");
  c.job.precision = Precision::bf16;
  (void)c.layer({.tp = 8, .sequence_parallel = true});
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 4096 * 2.0 * (2 * 2112 + 4 * 7168));
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 4096 * 2.0 * (2112 + 3 * 7168));
  // Without sequence parallelism 7168 twice forward, 2112 and 7168 backward.
  (void)c.layer({.tp = 8});
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 4096 * 2.0 * (2112 + 3 * 7168));
}

// What compresses is whole on every rank: with sequence parallelism each does its eighth of the
// tokens, else all of them. A GPU of one multiprocessor without overheads tells the products: per
// token 7168 x (1536 + 576) weights.
TEST(Volume, CompressingIsCutByTokensOnly) {
  Case c;
  c.job = read_job("deepseek_v3");
  c.job.precision = Precision::bf16;
  const auto compute = [&](const Strategy& s) { return c.layer(s).forward.compute.seconds(); };
  const double more = compute({.tp = 8}) - compute({.tp = 8, .sequence_parallel = true});
  // At least that many operations at the peak of an A100; norms and sums are cut too.
  EXPECT_GT(more, 2 * 4096 * 7.0 / 8 * 7168 * 2112 / 312e12);
  EXPECT_LT(more, 4 * 2 * 4096 * 7.0 / 8 * 7168 * 2112 / 312e12);
}

// Four all-to-all of k·2bsh: dispatch and combine, forward and backward; the model is asked for
// both kinds of message once, 2 bytes an element each.
TEST(Volume, ExpertParallelismSendsEachTokenToItsExpertsAndBack) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  const LayerCost cost = c.layer({.dp = 8, .ep = 8}, true);
  const double bytes = 2.0 * 4096 * 4096 * 2;
  EXPECT_EQ(cost.forward.ep.picoseconds(), static_cast<std::int64_t>(2 * bytes));
  EXPECT_EQ(cost.backward.ep.picoseconds(), static_cast<std::int64_t>(2 * bytes));
}

// Mixtral's 8 experts on one GPU instead of one on each of eight: 7 launches more for each of two
// products forward, for each of four backward; in fp8 two casts of each expert's input more.
TEST(Launches, EveryExpertIsLaunchedByItself) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  c.gpu = read_processor("h100_sxm");
  const LayerCost one = c.layer({.dp = 8, .ep = 8}, true), eight = c.layer({.dp = 8}, true);
  EXPECT_EQ(eight.forward.kernels - one.forward.kernels, 2 * 7);
  EXPECT_EQ(eight.backward.kernels - one.backward.kernels, 4 * 7);
  c.job.precision = Precision::fp8;
  const LayerCost one8 = c.layer({.dp = 8, .ep = 8}, true), eight8 = c.layer({.dp = 8}, true);
  EXPECT_EQ(eight8.forward.kernels - one8.forward.kernels, 2 * (7 + 16));
  EXPECT_EQ(eight8.backward.kernels - one8.backward.kernels, 4 * 7 + 2 * 16);
}

// fp8 recipes are for the products of layers; the head's stay in 16 bit.
TEST(Precision, TheHeadOfAnFp8JobComputesIn16Bit) {
  Case c;
  c.gpu = read_processor("h100_sxm");
  const GroupShapes shapes = group_shapes({}, kDefaultOrder, 8);
  c.job.precision = Precision::bf16;
  const LayerCost head = head_cost(c.context(), {}, shapes), layer = c.layer({});
  c.job.precision = Precision::fp8;
  const LayerCost head8 = head_cost(c.context(), {}, shapes), layer8 = c.layer({});
  EXPECT_EQ(head8.forward.compute, head.forward.compute);
  EXPECT_EQ(head8.backward.compute, head.backward.compute);
  EXPECT_LT(layer8.forward.compute, layer.forward.compute);
}

// DeepSeek-V3, fp8: 4096 tokens of 7168 numbers go to at most 4 nodes; there in one byte, back in
// two, forward and backward alike (arXiv 2412.19437, section 3.3.3). On two nodes a token crosses
// to one other at most: copies are no more than nodes.
TEST(Volume, ATokenCrossesToANodeOnce) {
  Case c;
  c.job = read_job("deepseek_v3");
  ASSERT_EQ(c.job.precision, Precision::fp8);
  c.gpu = read_processor("h100_sxm");
  const double once = 4096.0 * 7168;
  const LayerCost wide = c.layer({.dp = 64, .ep = 64}, true);
  EXPECT_EQ(wide.forward.ep.picoseconds(), static_cast<std::int64_t>(3 * 4 * once));
  EXPECT_EQ(wide.backward.ep, wide.forward.ep);
  const LayerCost two = c.layer({.dp = 16, .ep = 16}, true);
  EXPECT_EQ(two.forward.ep.picoseconds(), static_cast<std::int64_t>(3 * 2 * once));
  // Inside a node each of the 8 experts gets its copy.
  const LayerCost inside = c.layer({.dp = 8, .ep = 8}, true);
  EXPECT_EQ(inside.forward.ep.picoseconds(), static_cast<std::int64_t>(3 * 8 * once));
}

// A capacity of 1.25 is sent and computed full: 5/4 of the bytes, and at least as much more work.
TEST(Volume, SlotsOfExpertsAreSentFull) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  const LayerCost free = c.layer({.dp = 8, .ep = 8}, true);
  c.job.model.moe->capacity = 1.25;
  const LayerCost padded = c.layer({.dp = 8, .ep = 8}, true);
  EXPECT_EQ(padded.forward.ep.picoseconds() * 4, free.forward.ep.picoseconds() * 5);
  const double more = (padded.forward.compute - free.forward.compute).seconds();
  EXPECT_GT(more, 0.25 * 2 * 4096 * 2 * 3 * 4096 * 14336 / 312e12);
}

// Mixtral, tp 2 with experts cut as well: after the exchange 2048 tokens x 2 experts of each of the
// two ranks are gathered, 4096 * 2 rows of 4096 numbers, and scattered behind the experts; backward
// likewise, with nothing gathered again. Attention has its 4096 rows.
TEST(Volume, ExpertsThatAreCutGatherTheirTokens) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  (void)c.layer({.tp = 2, .dp = 4, .ep = 4, .etp = 2, .sequence_parallel = true}, true);
  const double attention = 4096.0 * 4096 * 2, experts = 2 * attention;
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 3 * attention + 2 * experts);
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 2 * attention + 2 * experts);
  // Each of the two sends its half of the tokens to 2 experts, there and back (asked once for both
  // passes).
  EXPECT_EQ(c.volumes.asked[Kind::all_to_all], 2 * attention);
}

// Keys and values of Llama 3 8B gathered over cp 4: 8192 tokens * 8 heads * (128 + 128) * 2 bytes.
TEST(Volume, ContextParallelismGathersKeysAndValues) {
  Case c;
  c.job = read_job("llama3_8b");
  const LayerCost cost = c.layer({.cp = 4, .context = ContextKind::all_gather});
  const double bytes = 8192.0 * 8 * 256 * 2;
  EXPECT_EQ(cost.forward.cp.picoseconds(), static_cast<std::int64_t>(bytes));
  EXPECT_EQ(cost.backward.cp.picoseconds(), static_cast<std::int64_t>(2 * bytes));
}

// DeepSeek-V3 makes keys (192) and values (128) of 128 heads before they go around: 4096 / 2 tokens
// of 40,960 numbers, to the one other rank. Llama 3 405B on 16 tensor ranks has 8 heads of keys
// and values, of which each rank has one.
TEST(Volume, ContextParallelismMovesWhatHeadsAttendTo) {
  Case c;
  c.job = read_job("deepseek_v3");
  c.job.precision = Precision::bf16;
  (void)c.layer({.cp = 2});
  EXPECT_EQ(c.volumes.asked[Kind::send_recv], 2048.0 * 128 * (192 + 128) * 2);
  c.volumes.asked.clear();
  c.job = read_job("llama3_405b");
  (void)c.layer({.tp = 16, .cp = 2, .context = ContextKind::all_gather});
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 8192.0 * 256 * 2);
}

// Ulysses, Llama 3 8B over cp 4: queries and context of 32 heads, keys and values of 8, 128 each,
// for 2048 tokens; over cp 16 every rank needs a head of keys: 16 of them, for 512 tokens.
TEST(Volume, UlyssesSendsHeads) {
  Case c;
  c.job = read_job("llama3_8b");
  (void)c.layer({.cp = 4, .context = ContextKind::ulysses});
  EXPECT_EQ(c.volumes.asked[Kind::all_to_all], 2 * 2048.0 * (2 * 32 + 2 * 8) * 128 * 2);
  c.volumes.asked.clear();
  (void)c.layer({.cp = 16, .context = ContextKind::ulysses});
  EXPECT_EQ(c.volumes.asked[Kind::all_to_all], 2 * 512.0 * (2 * 32 + 2 * 16) * 128 * 2);
}

// Data parallelism of Megatron 1.7B over 8: all_reduce of 4 bytes a parameter; with ZeRO 1 a
// reduce_scatter of 4 and an all_gather of 2.
TEST(Volume, DataParallelismReducesGradients) {
  Case c;
  c.job.model = read_model("megatron_1.7b");
  c.job.gradients = GradientType::fp32;
  c.job.batch = 64;
  const Strategy plain{.dp = 8}, sharded{.dp = 8, .zero = 1};
  const double p = stage_parameters(c.job, plain, 0).dense;
  (void)c.step(plain);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 4 * p);
  (void)c.step(sharded);
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 4 * p);
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 2 * p);
  // Two copies over four ranks each: every rank's quarter is summed with that of the other copy.
  (void)c.step({.dp = 8, .zero = 1, .shard_group = 4});
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 4 * p);
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 2 * p);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 4 * p / 4);
}

// Who keeps shards of gradients scatters those of each of the 64 / 8 micro-batches; ZeRO 3 gathers
// weights twice for each. A layer's collective is asked once for 24 of them and 8 micro-batches.
TEST(Volume, ShardedGradientsAreScatteredForEachMicroBatch) {
  Case c;
  c.job.model = read_model("megatron_1.7b");
  c.job.gradients = GradientType::fp32;
  c.job.batch = 64;
  const double p = stage_parameters(c.job, {.dp = 8}, 0).dense;
  const auto bytes = [&](int zero) { return c.step({.dp = 8, .zero = zero}).dp.seconds() * 1e12; };
  EXPECT_NEAR(bytes(1) / (4 * p + 2 * p), 1, 1e-6);
  EXPECT_NEAR(bytes(2) / (8 * 4 * p + 2 * p), 1, 1e-6);
  EXPECT_NEAR(bytes(3) / (8 * (4 + 2 + 2) * p), 1, 1e-6);
}

// Two copies of what four ranks share: gradients are scattered over the four, a quarter is summed
// over the two copies, weights are gathered over the four.
TEST(Volume, CopiesOfShardsSumTheirShards) {
  Case c;
  c.job.model = read_model("megatron_1.7b");
  c.job.gradients = GradientType::fp32;
  c.job.batch = 8;
  const double p = stage_parameters(c.job, {.dp = 8}, 0).dense;
  for (const int zero : {1, 2}) {
    (void)c.step({.dp = 8, .zero = zero, .shard_group = 4});
    EXPECT_NEAR((c.volumes.over[{Kind::reduce_scatter, 4U}]) * (zero == 2 ? 24 : 1), 4 * p, 1);
    EXPECT_EQ((c.volumes.over[{Kind::all_gather, 4U}]), 2 * p);
    EXPECT_EQ((c.volumes.over[{Kind::all_reduce, 2U}]), 4 * p / 4);
    EXPECT_EQ((c.volumes.over[{Kind::reduce_scatter, 8U}]), 0);
  }
}

// Mixtral over 8 with 4 ranks an expert: experts have two replicas. In two copies of four ranks
// neither shares experts with another: a copy each, whose gradients are summed whole.
TEST(Volume, ExpertsAreShardedOverTheirOwnReplicas) {
  Case c;
  c.job = read_job("mixtral_8x7b");
  c.job.batch = 8;
  const Strategy s{.dp = 8, .ep = 4, .zero = 1, .shard_group = 4};
  const StageParameters p = stage_parameters(c.job, s, 0);
  const double gradient = c.job.gradient_bytes();
  (void)c.step(s);
  EXPECT_EQ((c.volumes.over[{Kind::reduce_scatter, 4U}]), gradient * p.dense);
  EXPECT_EQ((c.volumes.over[{Kind::all_reduce, 2U}]), gradient * (p.dense / 4 + p.experts));
  Strategy whole = s;
  whole.shard_group = 0;
  (void)c.step(whole);
  EXPECT_EQ((c.volumes.over[{Kind::reduce_scatter, 8U}]), gradient * p.dense);
  EXPECT_EQ((c.volumes.over[{Kind::reduce_scatter, 2U}]), gradient * p.experts);
}

// A rank of DualPipe holds the first and the last of two stages: gradients of both.
TEST(Volume, DualPipeSumsGradientsOfBothItsStages) {
  Case c;
  c.job = read_job("llama3_8b");
  c.job.batch = 64;
  const Strategy s{.pp = 2, .dp = 4, .schedule = PipelineSchedule::dualpipe};
  const double both = stage_parameters(c.job, s, 0).dense + stage_parameters(c.job, s, 1).dense;
  (void)c.step(s);
  EXPECT_EQ((c.volumes.over[{Kind::all_reduce, 4U}]), c.job.gradient_bytes() * both);
}

// A boundary of the pipeline: 2bsh/t, asked once for the time of a hop.
TEST(Volume, PipelineStagesSendActivations) {
  Case c;
  const Strategy s{.tp = 8, .pp = 8, .dp = 1};
  const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
  (void)step_cost(c.context(), s, shapes, block_costs(c.context(), s, shapes));
  EXPECT_EQ(c.volumes.asked[Kind::send_recv], 2.0 * 2048 * 12288 / 8);
}

// The parts of a step are the step; without ranks to talk to there is no communication.
TEST(Step, PartsAddUp) {
  Case c;
  c.job.batch = 64;
  for (const Strategy& s : {Strategy{.tp = 8, .pp = 8, .dp = 2, .recompute = Recompute::full},
                            Strategy{.tp = 4,
                            .pp = 12,
                            .dp = 4,
                            .zero = 1,
                            .sequence_parallel = true,
                            .dp_overlap = true}}) {
    const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
    const StepCost cost = step_cost(c.context(), s, shapes, block_costs(c.context(), s, shapes));
    EXPECT_EQ(cost.total,
              cost.compute + cost.exposed() + cost.bubble + cost.optimizer + cost.offload);
    EXPECT_GE(cost.bubble, Time());
  }
}

// The formula against the timeline of the same chunks, GPT-3 on 8 and 12 stages.
TEST(Step, TheFormulaFollowsTheTimeline) {
  Case c;
  c.job.batch = 192;
  for (const Strategy& s : {Strategy{.tp = 8, .pp = 8, .recompute = Recompute::full},
                            Strategy{.tp = 8,
                            .pp = 12,
                            .interleave = 2,
                            .schedule = PipelineSchedule::interleaved,
                            .pp_overlap = true}}) {
    const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
    const BlockCosts blocks = block_costs(c.context(), s, shapes);
    const StepCost cost = step_cost(c.context(), s, shapes, blocks);
    const StepPipeline step =
        step_pipeline(c.context(), s, shapes, blocks, ReplicaClasses(c.job.batch, s)[0]);
    const double formula = (cost.total - cost.dp - cost.optimizer).seconds();
    EXPECT_NEAR(run_pipeline(step.pipeline, step.chunks).total.seconds() / formula, 1, 0.02);
  }
}

}  // namespace
}  // namespace railyard::placement
