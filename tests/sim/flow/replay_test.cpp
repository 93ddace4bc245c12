#include "sim/flow/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace railyard::sim {
namespace {

using collectives::Action;
using collectives::Coupling;
using collectives::ListPattern;
using collectives::Loop;
using collectives::RankOrder;
using collectives::RingPattern;
using collectives::Step;
using collectives::Transfer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Transfer copy(std::uint32_t source, std::uint32_t destination, std::uint64_t chunk,
              std::uint64_t count = 1) {
  return {.source = source, .destination = destination, .first_chunk = chunk, .chunk_count = count};
}

Step step(std::vector<Transfer> transfers, std::int64_t stride = 0) {
  return {ListPattern{std::make_shared<const std::vector<Transfer>>(std::move(transfers)), stride}};
}

std::vector<Replay::Number> start(const Replay& replay) {
  std::vector<Replay::Number> ready;
  replay.start(ready);
  return ready;
}

std::vector<Replay::Number> complete(Replay& replay, Replay::Number number) {
  std::vector<Replay::Number> ready;
  replay.complete(number, ready);
  return ready;
}

TEST(Replay, AChainWaitsForEachArrival) {
  const std::vector<Loop> loops{
      {1, Coupling::exchange, {step({copy(0, 1, 0)}), step({copy(1, 2, 0)})}}};
  Replay replay(loops, 3);
  EXPECT_THAT(start(replay), ElementsAre(0u));
  EXPECT_THAT(complete(replay, 0), ElementsAre(1u));
  EXPECT_THAT(complete(replay, 1), IsEmpty());
  EXPECT_EQ(replay.remaining(), 0u);
}

TEST(Replay, ATransferWaitsForAllEarlierArrivalsOfItsChunksAndNoOthers) {
  // Into participant 2: chunk 0 from 0 and from 1, chunk 1 from 0. Then 2 sends chunk 0 alone.
  const std::vector<Loop> loops{
      {1,
       Coupling::exchange,
       {step({copy(0, 2, 0), copy(1, 2, 0), copy(0, 2, 1)}), step({copy(2, 3, 0)})}}};
  Replay replay(loops, 4);
  EXPECT_THAT(start(replay), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(complete(replay, 1), IsEmpty());
  EXPECT_THAT(complete(replay, 0), ElementsAre(3u));
}

TEST(Replay, TheOrderInWhichEarlierTransfersArriveDoesNotMatter) {
  // Three reduces into 3, one after the other in schedule order; the sender waits for all three.
  const std::vector<Loop> loops{{1,
                                 Coupling::exchange,
                                 {step({copy(0, 3, 0)}), step({copy(1, 3, 0)}),
                                  step({copy(2, 3, 0)}), step({copy(3, 0, 0)})}}};
  Replay replay(loops, 4);
  EXPECT_THAT(start(replay), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(complete(replay, 2), IsEmpty());
  EXPECT_THAT(complete(replay, 0), IsEmpty());
  EXPECT_THAT(complete(replay, 1), ElementsAre(3u));
}

TEST(Replay, WithinAStepSourcesAreReadAsBefore) {
  // An exchange: both send at once although each also receives the same chunk.
  const std::vector<Loop> loops{{1, Coupling::exchange, {step({copy(0, 1, 0), copy(1, 0, 0)})}}};
  EXPECT_THAT(start(Replay(loops, 2)), ElementsAre(0u, 1u));
}

TEST(Replay, IterationsOfAPipelineAreIndependentChunks) {
  // 0 -> 1 -> 2, three chunks: all sends of 0 are ready, those of 1 follow chunk by chunk.
  const std::vector<Loop> loops{
      {3, Coupling::pipeline, {step({copy(0, 1, 0)}, 1), step({copy(1, 2, 0)}, 1)}}};
  Replay replay(loops, 3);
  EXPECT_THAT(start(replay), ElementsAre(0u, 2u, 4u));
  EXPECT_THAT(complete(replay, 2), ElementsAre(3u));
  EXPECT_THAT(complete(replay, 0), ElementsAre(1u));
}

TEST(Replay, LongRangesWaitForEveryPart) {
  // Two halves arrive from two sources; the whole is sent on when both are there.
  const std::vector<Loop> loops{
      {1,
       Coupling::exchange,
       {step({copy(0, 2, 0, 4), copy(1, 2, 4, 4)}), step({copy(2, 3, 0, 8)})}}};
  Replay replay(loops, 4);
  EXPECT_THAT(start(replay), ElementsAre(0u, 1u));
  EXPECT_THAT(complete(replay, 0), IsEmpty());
  EXPECT_THAT(complete(replay, 1), ElementsAre(2u));
}

TEST(Replay, IndependentTransfersAreAllReady) {
  const std::vector<Loop> loops{{1, Coupling::independent, {step({copy(0, 1, 1), copy(1, 0, 2)})}}};
  Replay replay(loops, 2);
  EXPECT_THAT(start(replay), ElementsAre(0u, 1u));
  EXPECT_THAT(complete(replay, 1), IsEmpty());
  EXPECT_EQ(replay.remaining(), 1u);
}

TEST(Replay, ARingPassesOnWhatItReceived) {
  // n = 3, reduce-scatter: in iteration k place p sends piece p - k; its input is place p - 1's
  // transfer of iteration k - 1. Numbers: iteration * 3 + place.
  const std::vector<Loop> loops{
      {2, Coupling::ring, {Step{RingPattern{.order = RankOrder::identity(3), .via = nullptr}}}}};
  Replay replay(loops, 3);
  EXPECT_THAT(start(replay), ElementsAre(0u, 1u, 2u));
  EXPECT_THAT(complete(replay, 0), ElementsAre(4u));  // place 1, iteration 1
  EXPECT_THAT(complete(replay, 2), ElementsAre(3u));  // place 0, iteration 1
  EXPECT_THAT(complete(replay, 1), ElementsAre(5u));
}

}  // namespace
}  // namespace railyard::sim
