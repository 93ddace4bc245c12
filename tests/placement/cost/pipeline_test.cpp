#include "placement/cost/pipeline.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "core/diagnostic.hpp"

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

// With equal ranks the passes one by one take what the formula says.
TEST(Pipeline, DualPipeRunsAsItsFormula) {
  for (const int ranks : {2, 4, 8, 16}) {
    for (const int micro_batches : {2 * ranks, 2 * ranks + 2, 5 * ranks}) {
      const Pipeline p{
          .schedule = PipelineSchedule::dualpipe, .ranks = ranks, .micro_batches = micro_batches};
      const auto chunks = equal(ranks, 1_ms, 2_ms, 1_ms);
      const PipelineRun run = run_pipeline(p, chunks);
      EXPECT_EQ(run.total, pipeline_time(p, chunks)) << ranks << ", " << micro_batches;
    }
  }
}

// Half of the micro-batches meet chunk r on rank r, the others on the rank opposite; each forward
// and backward once, W where B left it.
TEST(Pipeline, DualPipeDoesEveryPassOnce) {
  const Pipeline p{.schedule = PipelineSchedule::dualpipe, .ranks = 6, .micro_batches = 14};
  const PipelineRun run = run_pipeline(p, equal(6, 1_ms, 2_ms, 1_ms));
  std::map<std::tuple<char, int, int>, int> done;
  std::map<int, Time> work;
  for (const PipelinePass& pass : run.passes) {
    EXPECT_EQ(pass.chunk, pass.micro_batch < 7 ? pass.rank : 5 - pass.rank);
    ++done[{pass.kind, pass.chunk, pass.micro_batch}];
    work[pass.rank] += pass.end - pass.begin;
  }
  for (int chunk = 0; chunk < 6; ++chunk)
    for (int i = 0; i < 14; ++i) {
      EXPECT_EQ((done[{'F', chunk, i}]), 1);
      EXPECT_EQ((done[{'B', chunk, i}]), 1);
    }
  for (const auto& [rank, time] : work) EXPECT_EQ(time, 42_ms) << rank;
}

TEST(Pipeline, DualPipeNeedsEvenNumbers) {
  const auto chunks = equal(4, 1_ms, 2_ms, 1_ms);
  for (const auto& [ranks, micro_batches] : {std::pair(3, 8), {4, 9}, {4, 6}}) {
    const Pipeline p{
        .schedule = PipelineSchedule::dualpipe, .ranks = ranks, .micro_batches = micro_batches};
    EXPECT_THROW((void)run_pipeline(p, chunks), InputError);
  }
}

// GPipe on 2 ranks, F 1 ms, B 2 ms, a message 4 ms that holds nobody: rank 0 is done with forward
// passes at 1, 2, 3, 4 ms, but messages follow each other: there at 5, 9, 13, 17. Backward passes
// of rank 1 end at 20, 22, 24, 26 and are there at 24, 28, 32, 36: 38 ms.
TEST(Pipeline, MessagesOfOneWayFollowEachOther) {
  const Pipeline p{.schedule = PipelineSchedule::gpipe,
                   .ranks = 2,
                   .micro_batches = 4,
                   .hop = 4_ms,
                   .hop_blocks = false};
  EXPECT_EQ(run_pipeline(p, equal(2, 1_ms, 2_ms)).total, 38_ms);
}

// A hop of 0.1 ms that holds nobody: the first micro-batch crosses 3 boundaries down and 3 up.
TEST(Pipeline, HopsThatOverlapCountOnceOnTheWay) {
  const Pipeline p{.ranks = 4, .micro_batches = 1, .hop = 100_us, .hop_blocks = false};
  EXPECT_EQ(run_pipeline(p, equal(4, 1_ms, 2_ms)).total, 12_ms + 600_us);
  EXPECT_NEAR(pipeline_time(p, equal(4, 1_ms, 2_ms)).seconds(), 12.6e-3, 0.06e-3);
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

// Hops: the formula beside the timeline, where a hop is up to as long as a chunk's forward pass.
TEST(Pipeline, TheFormulaKnowsWhatHopsCost) {
  using S = PipelineSchedule;
  for (const auto& [schedule, interleave] : {std::pair(S::one_f_one_b, 1),
                                             {S::interleaved, 2},
                                             {S::interleaved, 6},
                                             {S::zero_bubble, 1},
                                             {S::gpipe, 1},
                                             {S::dualpipe, 1}})
    for (const int ranks : {2, 4, 8, 16})
      for (const int times : {2, 4, 12})
        for (const bool blocks : {false, true})
          for (const Time hop : {100_us, 1_ms}) {
            const Pipeline p{.schedule = schedule,
                             .ranks = ranks,
                             .interleave = interleave,
                             .micro_batches = ranks * times,
                             .hop = hop,
                             .hop_blocks = blocks};
            const double run =
                run_pipeline(p, equal(ranks * interleave, 1_ms, 2_ms, 1_ms)).total.seconds();
            const Time f = 1_ms * interleave;
            const double formula = pipeline_time(p, equal(ranks, f, f * 2, f)).seconds();
            EXPECT_NEAR(formula / run, 1, hop == 1_ms ? 0.14 : 0.02)
                << static_cast<int>(schedule) << " v " << interleave << " p " << ranks << " m "
                << p.micro_batches << " blocks " << blocks << " hop " << hop.microseconds();
          }
}

// 1F1B on 2 ranks, hop 1 ms that holds nobody: rank 0 does F0, F1, and waits for micro-batch 0 to
// come back: F 1, hop 1, F + B 3, hop 1 = 6 ms, then B until 8; two micro-batches every 8 ms.
TEST(Pipeline, OneChunkARankCannotHideItsHops) {
  const Pipeline p{.ranks = 2, .micro_batches = 8, .hop = 1_ms, .hop_blocks = false};
  EXPECT_EQ(run_pipeline(p, equal(2, 1_ms, 2_ms)).total, 35_ms);
  EXPECT_EQ(pipeline_time(p, equal(2, 1_ms, 2_ms)), 35_ms);
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
