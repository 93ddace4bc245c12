#include "placement/cost/data_parallel.hpp"

#include <gtest/gtest.h>

#include "placement/cost/activations.hpp"
#include "placement/cost/memory.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;

/// Every collective takes a second.
class Seconds final : public CommunicationModel {
 public:
  Time time(const GroupCollective& collective) const override {
    return collective.shape.size < 2 ? Time() : 1000_ms;
  }
};

/// Megatron 1.7B, 24 layers; a GPU of 1 TB/s, half of it for elementwise kernels, whose host takes
/// 10 GB/s, and whose collectives take a tenth of it.
struct Case {
  Job job = read_job("gpt3_175b");
  Processor gpu{.gpu = {.name = "gpu", .memory_bandwidth = Bandwidth::gigabytes_per_second(1000)},
                .spec = {.multiprocessors = 1,
                         .stream_efficiency = 0.5,
                         .communication_share = 0.1,
                         .host_bandwidth = 10_GBps}};
  Seconds communication{};
  Case() {
    job.model = read_model("megatron_1.7b");
    job.gradients = GradientType::fp32;
    job.batch = 64;
  }
  ReplicaCost cost(const Strategy& s, Time forward, Time backward, int stage = 0) {
    const TypeContext context{
        .job = job, .gpu = gpu, .communication = communication, .gpus_per_node = 8};
    return replica_cost(context, s, group_shapes(s, kDefaultOrder, 8),
                        {.forward = forward, .backward = backward}, stage,
                        micro_batches(job.batch, s));
  }
};

// A second of gradients beside the last backward pass, a second of weights beside the first forward
// pass. Long passes leave a layer of 24 each, and lose a tenth of the rest; passes of half a second
// leave the other half.
TEST(Replicas, CollectivesHideBehindAPassButTheLastLayer) {
  Case c;
  const Strategy s{.dp = 8, .zero = 1, .dp_overlap = true};
  const double layer = 1.0 / 24;
  EXPECT_NEAR(c.cost(s, 2000_ms, 2000_ms).exposed.seconds(), 2 * (layer + 0.1 * (1 - layer)), 1e-9);
  EXPECT_NEAR(c.cost(s, 500_ms, 500_ms).exposed.seconds(), 2 * (0.5 + 0.1 * 0.5), 1e-9);
  EXPECT_EQ(c.cost({.dp = 8, .zero = 1}, 2000_ms, 2000_ms).exposed, 2000_ms);
  EXPECT_EQ(c.cost({.dp = 8}, 2000_ms, 2000_ms).exposed, 1000_ms);
}

// Chunks are done p micro-batches apart: of 8 stages with 2 chunks half of their last round of 8.
TEST(Replicas, ChunksLeaveMorePassesToHideBehind) {
  EXPECT_EQ(gradient_passes({.pp = 8}, 64), 1);
  EXPECT_EQ(gradient_passes({.pp = 8, .interleave = 2}, 64), 4);
  EXPECT_EQ(gradient_passes({.pp = 8, .interleave = 4}, 64), 6);
  EXPECT_EQ(gradient_passes({.pp = 8, .interleave = 4}, 5), 5);
}

// A tied head is a second copy of the embedding, whose gradients are summed; one of its own is not.
TEST(Replicas, ATiedHeadSumsWithTheEmbedding) {
  Case c;
  EXPECT_EQ(c.cost({.pp = 2, .dp = 8}, 1000_ms, 1000_ms).exposed, 2000_ms);
  c.job.model.tied_embeddings = false;
  EXPECT_EQ(c.cost({.pp = 2, .dp = 8}, 1000_ms, 1000_ms).exposed, 1000_ms);
}

// Adam: the gradient is read for its norm and for the update, 8 bytes; three values of 4 bytes in
// and out, 24; a weight of 2 out. A 16-bit gradient is copied to fp32, 6, and scaled, 8, and the
// weight copied from its master, 4 more. fp32 weights are 4.
TEST(Replicas, TheUpdateStreamsStateAndGradients) {
  Case c;
  EXPECT_EQ(update_bytes(c.job), 34);
  c.job.gradients = GradientType::fp16;
  EXPECT_EQ(update_bytes(c.job), 52);
  c.job.gradients = GradientType::fp32;
  c.job.precision = Precision::fp32;
  EXPECT_EQ(update_bytes(c.job), 36);
  c.job.precision = Precision::bf16;
}

// The buffer of a step's gradients of 4 bytes is zeroed, 4, and divided by the replicas, 8, which
// one replica does not do and ZeRO 2 and 3 do not have. ZeRO 1 updates an eighth, of the whole
// buffer.
TEST(Replicas, TheBufferOfGradientsIsZeroedAndDivided) {
  Case c;
  EXPECT_EQ(buffer_bytes(c.job, {.dp = 8}), 12);
  EXPECT_EQ(buffer_bytes(c.job, {.cp = 2}), 12);
  EXPECT_EQ(buffer_bytes(c.job, {.tp = 8}), 4);
  EXPECT_EQ(buffer_bytes(c.job, {.dp = 8, .zero = 1}), 12);
  EXPECT_EQ(buffer_bytes(c.job, {.dp = 8, .zero = 2}), 0);
  EXPECT_EQ(buffer_bytes(c.job, {.dp = 8, .zero = 3}), 0);
  EXPECT_EQ(buffer_bytes(c.job, {.tp = 8, .zero = 3}), 4);
  const double p = stage_parameters(c.job, {.dp = 8}, 0).dense;
  const auto seconds = [&](int zero) {
    return c.cost({.dp = 8, .zero = zero}, 1000_ms, 1000_ms).optimizer.seconds() * 0.5e12 / p;
  };
  EXPECT_NEAR(seconds(0), 34 + 12, 1e-6);
  EXPECT_NEAR(seconds(1), 34.0 / 8 + 12, 1e-6);
  EXPECT_NEAR(seconds(2), 34.0 / 8, 1e-6);
  c.job.gradients = GradientType::fp16;
  EXPECT_EQ(buffer_bytes(c.job, {.dp = 8}), 6);
}

// Over 10 GB/s: gradients (4) out and weights (2) back of each parameter that the rank updates;
// weights for each pass of each of 8 micro-batches, and activations out and in, beyond what the
// passes hide.
TEST(Replicas, OffloadingIsAsFastAsTheHost) {
  Case c;
  const double p = stage_parameters(c.job, {.dp = 8}, 0).dense;
  const ReplicaCost optimizer = c.cost({.dp = 8, .offload_optimizer = true}, 1000_ms, 1000_ms);
  // The buffer of gradients stays on the GPU.
  EXPECT_NEAR(optimizer.optimizer.seconds(), 12 * p / 0.5e12, 1e-9);
  EXPECT_NEAR(optimizer.offload.seconds(), 6 * p / 10e9, 1e-9);
  EXPECT_NEAR(
      c.cost({.dp = 8, .zero = 1, .offload_optimizer = true}, 1000_ms, 1000_ms).offload.seconds(),
      6 * p / 8 / 10e9, 1e-9);
  const double weights = 2 * p / 10e9;
  EXPECT_NEAR(c.cost({.dp = 8, .offload_weights = true}, 100_ms, 200_ms).offload.seconds(),
              8 * (weights - 0.1 + weights - 0.2), 1e-6);
  const Strategy kept{.dp = 8, .offload_activations = true};
  const double bytes =
      24.0 * static_cast<double>(layer_activations(c.job, kept, Recompute::none, false).count());
  EXPECT_NEAR(c.cost(kept, 100_ms, 200_ms).offload.seconds(),
              8 * (bytes / 10e9 - 0.1 + bytes / 10e9 - 0.2), 1e-6);
  // Passes that take longer hide it all.
  EXPECT_EQ(c.cost(kept, 100'000_ms, 100'000_ms).offload, Time());
}

}  // namespace
}  // namespace railyard::placement
