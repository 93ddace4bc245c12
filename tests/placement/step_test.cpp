#include "placement/step.hpp"

#include <gtest/gtest.h>

#include <map>

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;

/// A second a byte, and remembers what it was asked: volumes can be read off.
class Volumes final : public CommunicationModel {
 public:
  Time time(Kind kind, const GroupShape& shape, double bytes) override {
    if (shape.size < 2) return Time();
    asked[kind] += bytes;
    return Time::picoseconds(static_cast<std::int64_t>(bytes));
  }
  std::map<Kind, double> asked;
};

struct Case {
  Job job = read_job("gpt3_175b");
  Processor gpu = read_processor("a100_sxm_80");
  Volumes volumes{};
  CostContext context() {
    gpu.spec.nvlink_in_step = gpu.spec.network_in_step = 1;
    return {.job = job, .gpu = gpu, .communication = volumes, .gpus_per_node = 8};
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

// With sequence parallelism all_gather and reduce_scatter twice a pass, of the same 2bsh.
TEST(Volume, SequenceParallelismGathersAndScatters) {
  Case c;
  (void)c.layer({.tp = 8, .sequence_parallel = true});
  const double bytes = 2.0 * 2048 * 12288;
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 4 * bytes);
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 4 * bytes);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 0);
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

// Keys and values of Llama 3 8B gathered over cp 4: 8192 tokens * 8 heads * (128 + 128) * 2 bytes.
TEST(Volume, ContextParallelismGathersKeysAndValues) {
  Case c;
  c.job = read_job("llama3_8b");
  const LayerCost cost = c.layer({.cp = 4, .context = ContextKind::all_gather});
  const double bytes = 8192.0 * 8 * 256 * 2;
  EXPECT_EQ(cost.forward.cp.picoseconds(), static_cast<std::int64_t>(bytes));
  EXPECT_EQ(cost.backward.cp.picoseconds(), static_cast<std::int64_t>(2 * bytes));
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
  const auto run = [&](const Strategy& s) {
    c.volumes.asked.clear();
    const GroupShapes shapes = group_shapes(s, kDefaultOrder, 8);
    (void)step_cost(c.context(), s, shapes, block_costs(c.context(), s, shapes));
  };
  run(plain);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 4 * p);
  run(sharded);
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 4 * p);
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 2 * p);
  // Two copies over four ranks each: every rank's quarter is summed with that of the other copy.
  run({.dp = 8, .zero = 1, .shard_group = 4});
  EXPECT_EQ(c.volumes.asked[Kind::reduce_scatter], 4 * p);
  EXPECT_EQ(c.volumes.asked[Kind::all_gather], 2 * p);
  EXPECT_EQ(c.volumes.asked[Kind::all_reduce], 4 * p / 4);
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
    const Blocks blocks = block_costs(c.context(), s, shapes);
    const StepCost cost = step_cost(c.context(), s, shapes, blocks);
    const StepPipeline step = step_pipeline(c.context(), s, shapes, blocks);
    const double formula = (cost.total - cost.dp - cost.optimizer).seconds();
    EXPECT_NEAR(run_pipeline(step.pipeline, step.chunks).total.seconds() / formula, 1, 0.02);
  }
}

}  // namespace
}  // namespace railyard::placement
