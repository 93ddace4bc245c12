#include "placement/pipeline.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

using namespace literals;

std::vector<ChunkTimes> equal(int chunks, Time forward, Time backward, Time weight = Time()) {
  return std::vector<ChunkTimes>(static_cast<std::size_t>(chunks), {forward, backward, weight});
}

// 4 ranks, 8 micro-batches, F 1 ms, B 2 ms: (m + p - 1)(F + B) = 11 * 3 ms.
TEST(Pipeline, OneFOneBTakesMicroBatchesAndRanksLessOne) {
  const Pipeline p{.ranks = 4, .micro_batches = 8};
  const auto chunks = equal(4, 1_ms, 2_ms);
  EXPECT_EQ(run_pipeline(p, chunks).total, 33_ms);
  EXPECT_EQ(pipeline_time(p, chunks), 33_ms);
}

// GPipe: all forward, then all backward: (m + p - 1)F + (m + p - 1)B, the same 33 ms.
TEST(Pipeline, GpipeTakesAsLongButHoldsAllMicroBatches) {
  const Pipeline p{.schedule = PipelineSchedule::gpipe, .ranks = 4, .micro_batches = 8};
  const auto chunks = equal(4, 1_ms, 2_ms);
  EXPECT_EQ(run_pipeline(p, chunks).total, 33_ms);
  EXPECT_EQ(pipeline_time(p, chunks), 33_ms);
}

// Two chunks a rank of half the time each: the bubble is (p - 1)(F + B)/v = 4.5 ms; 8 * 3 + 4.5 ms.
TEST(Pipeline, InterleavingDividesTheBubble) {
  const Pipeline p{
      .schedule = PipelineSchedule::interleaved, .ranks = 4, .interleave = 2, .micro_batches = 8};
  EXPECT_EQ(run_pipeline(p, equal(8, 500_us, 1_ms)).total, 28_ms + 500_us);
  EXPECT_EQ(pipeline_time(p, equal(4, 1_ms, 2_ms)), 28_ms + 500_us);
}

// ZB-H1 with F = 1, B for inputs 1, W 1: bubble (p - 1)(F + B - 2W) with B = 2 whole: 3 * 1 ms.
TEST(Pipeline, ZeroBubbleFillsTheEndWithGradientsOfWeights) {
  const Pipeline p{.schedule = PipelineSchedule::zero_bubble, .ranks = 4, .micro_batches = 8};
  const auto chunks = equal(4, 1_ms, 2_ms, 1_ms);
  EXPECT_EQ(pipeline_time(p, chunks), 27_ms);
  EXPECT_EQ(run_pipeline(p, chunks).total, 27_ms);
}

// DeepSeek's README: bubble (p/2 - 1)(F&B + B - 3W), F&B = F + B = 3 ms: (2 - 1)(3 + 2 - 3) = 2 ms.
TEST(Pipeline, DualPipeHasItsFormula) {
  const Pipeline p{.schedule = PipelineSchedule::dualpipe, .ranks = 4, .micro_batches = 8};
  EXPECT_EQ(pipeline_time(p, equal(4, 1_ms, 2_ms, 1_ms)), 26_ms);
}

// A hop of 0.1 ms that holds nobody: the first micro-batch crosses 3 boundaries down and 3 up.
TEST(Pipeline, HopsThatOverlapCountOnceOnTheWay) {
  const Pipeline p{.ranks = 4, .micro_batches = 1, .hop = 100_us, .hop_blocks = false};
  EXPECT_EQ(run_pipeline(p, equal(4, 1_ms, 2_ms)).total, 12_ms + 600_us);
  EXPECT_EQ(pipeline_time(p, equal(4, 1_ms, 2_ms)), 12_ms + 600_us);
}

// Uneven ranks and hops: the formula stays within 4 % of the timeline (measured on these cases).
TEST(Pipeline, TheFormulaStaysNearTheTimelineOfUnevenRanks) {
  for (const int ranks : {2, 4, 8, 16}) {
    for (const int micro_batches : {ranks, 4 * ranks, 16 * ranks}) {
      for (const Time extra : {0_ms, 1_ms}) {
        auto chunks = equal(ranks, 2_ms, 4_ms);
        chunks.back().forward += extra;
        chunks.back().backward += extra * 2;
        const Pipeline p{.ranks = ranks, .micro_batches = micro_batches, .hop = 50_us};
        const double simulated = run_pipeline(p, chunks).total.seconds();
        EXPECT_NEAR(pipeline_time(p, chunks).seconds() / simulated, 1, 0.04)
            << ranks << " ranks, " << micro_batches << " micro-batches";
      }
    }
  }
}

// Every rank does every pass of its chunks once, and no two at the same time.
TEST(Pipeline, ATimelineHasEveryPassOnce) {
  const Pipeline p{
      .schedule = PipelineSchedule::interleaved, .ranks = 4, .interleave = 3, .micro_batches = 8};
  const PipelineRun run = run_pipeline(p, equal(12, 1_ms, 2_ms));
  EXPECT_EQ(run.passes.size(), 12U * 8 * 2);
  std::vector<Time> last(4);
  for (const PipelinePass& pass : run.passes) {
    const auto rank = static_cast<std::size_t>(pass.rank);
    EXPECT_GE(pass.begin, last[rank]);
    last[rank] = pass.end;
  }
}

}  // namespace
}  // namespace railyard::placement
