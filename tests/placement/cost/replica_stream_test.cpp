#include "placement/cost/replica_stream.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

using namespace literals;

/// One rank, F 1 ms, B 2 ms, four layers.
PipelineRun run(int micro_batches, const ReplicaStream& replicas) {
  const std::vector<ChunkTimes> chunks{{.forward = 1_ms, .backward = 2_ms}};
  return run_pipeline({.micro_batches = micro_batches}, chunks, replicas);
}

ReplicaStream stream(Time gather, Time reduce) {
  return {.chunks = {{.gather = gather, .reduce = reduce, .buckets = 4}}, .overlaps = true};
}

// Layers are done backward at 1.5, 2, 2.5 and 3 ms; their gradients take a millisecond each, one
// after another from 1.5 ms: until 5.5 ms.
TEST(ReplicaStream, GradientsFollowTheirLayers) {
  const PipelineRun found = run(1, stream(Time(), 4_ms));
  EXPECT_EQ(found.total, 3_ms);
  EXPECT_EQ(found.done[0], 5_ms + 500_us);
  ASSERT_EQ(found.replicas.size(), 1u);
  EXPECT_EQ(found.replicas[0].begin, 1_ms + 500_us);
  EXPECT_FALSE(found.replicas[0].weights);
}

// Of two micro-batches only the last one's gradients travel.
TEST(ReplicaStream, OnlyTheLastMicroBatchReduces) {
  EXPECT_EQ(run(2, stream(Time(), 4_ms)).done[0], 8_ms + 500_us);
}

// At half the speed beside a collective: the first layer is done at 1.5 ms, the others take 1 ms
// each beside the one in front: 2.5, 3.5, 4.5 ms; the last gradients are there at 5.5 ms.
TEST(ReplicaStream, PassesGoSlowerBesideCollectives) {
  ReplicaStream replicas = stream(Time(), 4_ms);
  replicas.chunks[0].share = 0.5;
  const PipelineRun found = run(1, replicas);
  EXPECT_EQ(found.total, 4_ms + 500_us);
  EXPECT_EQ(found.done[0], 5_ms + 500_us);
}

// Weights of the layers arrive at 0.5, 1, 1.5 and 2 ms; a layer takes 0.25 ms: forward is done at
// 2.25 ms, the second micro-batch waits for nothing.
TEST(ReplicaStream, TheFirstPassWaitsForWeights) {
  EXPECT_EQ(run(1, stream(2_ms, Time())).total, 4_ms + 250_us);
  EXPECT_EQ(run(2, stream(2_ms, Time())).total, 7_ms + 250_us);
}

// ZeRO 3, 0.1 ms a layer each way: a pass waits for its first layer, the others come while the one
// before computes. F 0.1 to 1.1 ms, B until 3.2, the last scatter until 3.3; only then the next
// pass gathers: F until 4.4, B until 6.5, the end 6.6 ms.
TEST(ReplicaStream, ShardedWeightsAreGatheredInEveryPass) {
  ReplicaStream replicas = stream(400_us, 400_us);
  replicas.every_pass = true;
  EXPECT_EQ(run(1, replicas).total, 3_ms + 200_us);
  EXPECT_EQ(run(1, replicas).done[0], 3_ms + 300_us);
  EXPECT_EQ(run(2, replicas).total, 6_ms + 500_us);
  EXPECT_EQ(run(2, replicas).done[0], 6_ms + 600_us);
}

// Copies sum their gradients once more, 0.1 ms a layer behind the last micro-batch's: its scatters
// end as without, but the stream is busy a layer more; not overlapped they stand behind the last.
TEST(ReplicaStream, CopiesSumBehindTheLastMicroBatch) {
  ReplicaStream replicas = stream(400_us, 400_us);
  replicas.every_pass = true;
  replicas.chunks[0].copies = 400_us;
  EXPECT_EQ(run(2, replicas).total, 6_ms + 500_us);
  EXPECT_EQ(run(2, replicas).done[0], 6_ms + 700_us);
  replicas.overlaps = false;
  EXPECT_EQ(run(2, replicas).total, 8_ms + 800_us);
}

// Not beside the passes: 0.4 ms before both, 0.4 ms behind B.
TEST(ReplicaStream, ShardedWeightsWithoutOverlapStandInTheWay) {
  ReplicaStream replicas = stream(400_us, 400_us);
  replicas.every_pass = true;
  replicas.overlaps = false;
  EXPECT_EQ(run(2, replicas).total, 8_ms + 400_us);
}

}  // namespace
}  // namespace railyard::placement
