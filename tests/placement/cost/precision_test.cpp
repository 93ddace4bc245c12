// Precisions by part of a layer and by layer: what they cost and what they keep, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "core/diagnostic.hpp"
#include "placement/cost/activations.hpp"
#include "placement/cost/layer_cost.hpp"
#include "placement/cost/memory.hpp"
#include "placement/cost/step.hpp"
#include "placement/strategy/stages.hpp"
#include "tests/placement/cost/ideal_gpus.hpp"

namespace railyard::placement {
namespace {

class Free final : public CommunicationModel {
 public:
  Time time(const GroupCollective&) const override { return Time(); }
};

struct Case {
  Job job = read_job("llama3_8b");
  Processor gpu = computing_gpu();
  Free communication{};
  TypeContext context() {
    return {.job = job, .gpu = gpu, .communication = communication, .gpus_per_node = 8};
  }
  LayerCost layer(bool edge = false) {
    return layer_cost(context(), {}, group_shapes({}, kDefaultOrder, 8), false, edge);
  }
};

// Llama 3 8B: QKV and projection are 4096 x (6144 + 4096), the MLP three of 4096 x 14336; attention
// is s²·2·4096 operations a layer and sequence, half of the square, and stays in 16 bit.
constexpr double kTokens = 8192, kAttention = 4096.0 * (6144 + 4096), kMlp = 3 * 4096.0 * 14336;
constexpr double kScores = 2 * kTokens * kTokens * 4096;

TEST(LayerPrecision, EachPartRunsAtThePeakOfItsRule) {
  Case c;
  c.job.precision = Precision::nvfp4;
  const auto seconds = [&] { return c.layer().forward.compute.seconds() * 1e12; };
  EXPECT_NEAR(seconds(), 2 * kTokens * (kAttention + kMlp) / 4 + kScores, 1e-4 * kScores);
  c.job.precisions = {{.part = LayerPart::attention, .precision = Precision::bf16}};
  EXPECT_NEAR(seconds(), 2 * kTokens * (kAttention + kMlp / 4) + kScores, 1e-4 * kScores);
  // Later rules count: all products of layers in 8 bit, and attention's own, 1200/740 as fast.
  c.job.precisions.push_back({.part = LayerPart::layer, .precision = Precision::mxfp8});
  c.job.precisions.push_back({.part = LayerPart::scores, .precision = Precision::fp8});
  EXPECT_NEAR(seconds(), kTokens * (kAttention + kMlp) + kScores * 740 / 1200, 1e-4 * kScores);
  c.gpu.spec.fp4 = FlopRate();
  c.job.precisions.clear();
  EXPECT_THROW((void)c.layer(), InputError) << "a GPU without 4 bits says so";
}

// 32 layers in four stages of two chunks, 4 each; edges are the first 3 and the last 6.
TEST(LayerPrecision, StagesKnowTheirLayersAtTheEdges) {
  Case c;
  c.job.first_layers = 3;
  c.job.last_layers = 6;
  const Strategy s{.pp = 4, .interleave = 2, .schedule = PipelineSchedule::interleaved};
  EXPECT_EQ(stage_layers(c.job, s, 0).edge_dense, 0) << "no rule names the edges";
  c.job.precisions = {{.layers = LayerRange::edge, .precision = Precision::bf16}};
  const auto edges = [&](int stage) { return stage_layers(c.job, s, stage).edge_dense; };
  EXPECT_EQ(edges(0), 3);
  EXPECT_EQ(edges(1), 0);
  EXPECT_EQ(edges(2), 2);
  EXPECT_EQ(edges(3), 4);
  EXPECT_EQ(chunk_layers(c.job, s, 7).edge_dense, 4);
  c.job.first_layers = 40;
  EXPECT_EQ(edges(1), 8) << "more than there are: all of them";
}

// The last stage of a pipeline has two layers in 16 bit, four times as slow in their products.
TEST(LayerPrecision, ALayerAtTheEdgeTakesItsOwnTime) {
  Case c;
  c.job.precision = Precision::nvfp4;
  c.job.last_layers = 2;
  c.job.precisions = {{.layers = LayerRange::edge, .precision = Precision::bf16}};
  const double more =
      (c.layer(true).forward.compute - c.layer(false).forward.compute).seconds() * 1e12;
  EXPECT_NEAR(more, 2 * kTokens * (kAttention + kMlp) * 3 / 4, 1e-4 * more);
  const Strategy s{.pp = 4};
  const TypeContext context = c.context();
  const BlockCosts blocks = block_costs(context, s, group_shapes(s, kDefaultOrder, 8));
  const auto forward = [&](int stage) {
    return pass_over(s, blocks, stage_layers(c.job, s, stage), {}).forward.compute;
  };
  EXPECT_NEAR((forward(3) - forward(2)).seconds() * 1e12, 2 * more, 1e-4 * more);
}

// Bytes of the kernels that make operands, per element of inputs forward (4096 of QKV, of the
// projection and of the MLP's first matrix, 14336 of its second) and of gradients backward (6144,
// 4096, 28672, 4096). mxfp8: 2 in, two of 1 + 1/32 out. nvfp4: 2 in for the largest value, then
// twice 2 in and 9/16 out. fp8: nothing forward, 2 in and two of 1 out backward.
TEST(LayerPrecision, OperandsAreMadeByKernelsOfTheirOwn) {
  Case c;
  c.gpu = streaming_gpu();
  const auto traffic = [&](Precision precision) {
    c.job.precision = precision;
    const LayerCost cost = c.layer();
    return std::pair{cost.forward.compute.seconds() * 1e12 / kTokens,
                     cost.backward.compute.seconds() * 1e12 / kTokens};
  };
  const auto wide = traffic(Precision::bf16);
  const double inputs = 3 * 4096 + 14336, gradients = 6144 + 4096 + 28672 + 4096;
  const auto more = [&](Precision precision, double forward, double backward) {
    const auto its = traffic(precision);
    EXPECT_NEAR(its.first - wide.first, inputs * forward, 1e-4 * inputs);
    EXPECT_NEAR(its.second - wide.second, gradients * backward, 1e-4 * gradients);
  };
  more(Precision::fp8, 0, 4);
  more(Precision::mxfp8, 4.0625, 4.0625);
  more(Precision::nvfp4, 7.125, 7.125);
}

// Logits of 8192 tokens and 128256 words, bytes of traffic each. fp32 kernels: 32.
// TransformerEngine's:
// 6. Megatron-Core's compiled ones: 6 for cast and maximum, 16 for exponentials and their copy, 8
// for the division; backward 8 for a copy and 10 for the product in fp32 and 16 bit; 48 in all.
// Bytes of memory: 6, 2 and 10.
TEST(Loss, KernelsPassOverLogits) {
  Case c;
  c.gpu = streaming_gpu();
  const double logits_read = 8192.0 * 128256;
  const auto head = [&] {
    const LayerCost cost = head_cost(c.context(), {}, group_shapes({}, kDefaultOrder, 8));
    return (cost.forward.compute + cost.backward.compute).seconds() * 1e12 / logits_read;
  };
  const double unfused = head();
  const auto bytes = [&] { return static_cast<double>(logits(c.job, {}).count()) / logits_read; };
  EXPECT_DOUBLE_EQ(bytes(), 6);
  c.job.loss = LossKernel::te;
  EXPECT_NEAR(unfused - head(), 32 - 6, 1e-3);
  EXPECT_DOUBLE_EQ(bytes(), 2);
  c.job.loss = LossKernel::native;
  EXPECT_NEAR(head() - unfused, 48 - 32, 1e-3);
  EXPECT_DOUBLE_EQ(bytes(), 10);
}

// A host of a millisecond a launch: with CUDA graphs a pass takes the GPU's time alone.
TEST(Loss, GraphsLaunchNothing) {
  Case c;
  c.gpu.spec.launch = Time::from_seconds(1e-3);
  RankPass pass;
  pass.forward = {.compute = Time::from_seconds(1e-3), .kernels = 10};
  EXPECT_EQ(pass_times(c.context(), pass).forward, Time::from_seconds(10e-3));
  c.job.cuda_graphs = true;
  EXPECT_EQ(pass_times(c.context(), pass).forward, Time::from_seconds(1e-3));
}

// A token keeps the inputs of QKV (h), of the MLP's two matrices (h and f) and, for the projection,
// a copy of the context (h) narrow: in 16 bit 2(2h + f), of nvfp4 9/16 (3h + f), of mxfp8 33/32.
TEST(LayerPrecision, InputsOfProductsAreKeptNarrow) {
  Case c;
  const auto layer = [&](bool edge = false) {
    const Bytes bytes = layer_activations(c.job, {}, Recompute::none, false, edge);
    return static_cast<double>(bytes.count()) / kTokens;
  };
  const double h = 4096, f = 14336, wide = layer();
  c.job.precision = Precision::nvfp4;
  EXPECT_NEAR(wide - layer(), 2 * (2 * h + f) - 9.0 / 16 * (3 * h + f), 1e-3);
  c.job.precision = Precision::mxfp8;
  EXPECT_NEAR(wide - layer(), 2 * (2 * h + f) - 33.0 / 32 * (3 * h + f), 1e-3);
  c.job.last_layers = 1;
  c.job.precisions = {{.layers = LayerRange::edge, .precision = Precision::bf16}};
  EXPECT_DOUBLE_EQ(layer(true), wide);
}

// Two narrow copies of each weight of a layer beside the 16-bit one, or with narrow_weights in its
// place; a layer at the edge in 16 bit has none. One layer has 4096·10240 + 3·4096·14336 weights
// and two norms of 4096.
TEST(LayerPrecision, NarrowCopiesOfWeights) {
  Case c;
  const Strategy s{.pp = 4};
  const auto weights = [&] {
    return static_cast<double>(stage_memory(c.job, s, 1, {}, 4).weights.count());
  };
  const double wide = weights(), layer = kAttention + kMlp + 2 * 4096;
  c.job.precision = Precision::nvfp4;
  EXPECT_NEAR(weights() - wide, 8 * layer * 2 * 9 / 16, 8);
  c.job.narrow_weights = true;
  EXPECT_NEAR(weights() - wide, 8 * layer * (2 * 9.0 / 16 - 2), 8);
  c.job.first_layers = 10;
  c.job.precisions = {{.layers = LayerRange::edge, .precision = Precision::bf16}};
  EXPECT_NEAR(weights() - wide, 6 * layer * (2 * 9.0 / 16 - 2), 8) << "two of the stage's eight";
  // They are gathered as they are: on the first of 4 stages the embedding in 16 bit.
  c.job.precisions.clear();
  const double table = 4096.0 * 128256;
  EXPECT_NEAR(gathered_weight(c.job, s, 0).dense,
              (8 * layer * 9 / 16 + 2 * table) / (8 * layer + table), 1e-9);
  c.job.narrow_weights = false;
  EXPECT_EQ(gathered_weight(c.job, s, 0).dense, 2);
}

// 8 bits with one scale per tensor are read by rows and by columns from one copy on Blackwell's
// data centre GPUs; scales of blocks run along one dimension, so these have two on any GPU.
TEST(LayerPrecision, OneCopyOfWeightsWhereProductsReadColumns) {
  Case c;
  const auto weights = [&](const MemoryTraits& gpu) {
    return static_cast<double>(stage_memory(c.job, {.pp = 4}, 1, gpu, 4).weights.count());
  };
  const double wide = weights({}), layer = kAttention + kMlp + 2 * 4096;
  c.job.precision = Precision::fp8;
  EXPECT_NEAR(weights({}) - wide, 8 * layer * 2, 8);
  EXPECT_NEAR(weights({.reads_columns = true}) - wide, 8 * layer, 8);
  c.job.narrow_weights = true;
  EXPECT_NEAR(weights({.reads_columns = true}) - wide, -8 * layer, 8) << "in place of 16 bits";
  c.job.precision = Precision::mxfp8;
  EXPECT_EQ(weights({.reads_columns = true}), weights({}));
  EXPECT_TRUE(memory_traits(read_processor("b200")).reads_columns);
  EXPECT_FALSE(memory_traits(read_processor("h100_sxm")).reads_columns);
  EXPECT_FALSE(memory_traits(read_processor("rtx_pro_6000")).reads_columns);
}

// Keys that would have no effect are refused where a job is read.
TEST(JobFile, RefusesPrecisionsWithoutEffect) {
  const auto problem = [](const std::string& more) -> std::string {
    const std::string name = "job_" + std::to_string(std::hash<std::string>{}(more)) + ".json";
    const auto file = std::filesystem::path(testing::TempDir()) / name;
    std::ofstream(file) << R"({"name": "x", "model": "llama3_8b", "batch": 8)" << more << "}";
    try {
      (void)read_job(file.string());
    } catch (const InputError& error) {
      return to_text(error.diagnostics().front());
    }
    return "";
  };
  const auto has = [&](const std::string& more, const std::string& text) {
    EXPECT_NE(problem(more).find(text), std::string::npos) << problem(more);
  };
  has(R"(, "first_layers": 2)", "no rule of precisions names these layers");
  has(R"(, "precisions": [{"layers": "edge", "precision": "bf16"}])", "the job has none");
  has(R"(, "narrow_weights": true)", "no product of the job is in 8 or 4 bit");
  EXPECT_EQ(problem(R"(, "precision": "nvfp4", "last_layers": 4, "narrow_weights": true,
                    "precisions": [{"layers": "edge", "precision": "mxfp8"}])"),
            "");
}

}  // namespace
}  // namespace railyard::placement
