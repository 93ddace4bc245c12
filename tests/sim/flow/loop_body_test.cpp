#include "sim/flow/loop_body.hpp"

#include <gtest/gtest.h>

#include "sim/flow/stage.hpp"
#include "sim/flow/streams.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Coupling;
using collectives::Kind;
using collectives::Loop;
using collectives::RankOrder;
using collectives::RingPattern;
using collectives::Schedule;

/// What each transfer of the body carries, iteration by iteration.
std::vector<double> enumerated(const Schedule& schedule, const Stage& stage) {
  std::vector<double> totals;
  for (const auto& loop : stage.loops)
    for (std::uint64_t k = 0; k < loop.repeat; ++k) {
      std::size_t transfer = 0;
      for (const auto& step : loop.steps)
        for (std::uint64_t i = 0; i < step.size(); ++i, ++transfer) {
          if (totals.size() <= transfer) totals.push_back(0);
          totals[transfer] += static_cast<double>(schedule.bytes(0, step.at(i, k)).count());
        }
    }
  return totals;
}

void expect_exact_totals(const Schedule& schedule) {
  for (const auto& stage : stages(schedule.channels()[0])) {
    const auto body = loop_body(schedule, 0, stage);
    const auto expected = enumerated(schedule, stage);
    ASSERT_EQ(body.transfers.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(body.transfers[i].bytes, expected[i]) << i;
  }
}

Schedule ring_of(const topology::Cluster& cluster, std::uint64_t repeat, RingPattern pattern,
                 std::uint64_t chunks) {
  return schedule_of(cluster, Bytes(1'000'003), {{repeat, Coupling::ring, {{std::move(pattern)}}}},
                     chunks);
}

TEST(LoopBody, TotalsOfRingsAreExactInBothDirectionsAndBeyondATurn) {
  // 1,000,003 bytes in 7 pieces: 142857 or 142858 each.
  const auto cluster = single_switch(1, 7);
  for (const std::int64_t shift : {-1, 1})
    for (const std::uint64_t repeat : {1u, 5u, 6u, 7u, 13u, 14u})
      expect_exact_totals(ring_of(
          cluster, repeat,
          {.order = RankOrder::identity(7), .offset = 3, .shift = shift, .via = nullptr}, 7));
}

TEST(LoopBody, TotalsOfRingsSideBySideAreExact) {
  const auto cluster = single_switch(1, 6);
  expect_exact_totals(ring_of(
      cluster, 2,
      {.order = RankOrder::identity(6), .ring_size = 3, .ring_stride = 3, .via = nullptr}, 6));
}

TEST(LoopBody, TotalsOfPipelinesAreExact) {
  const auto cluster = single_switch(4, 1);
  const collectives::Collective odd{.kind = Kind::all_reduce, .bytes = Bytes(4 * 100'003)};
  expect_exact_totals(schedule(cluster, "tree", odd, {.channels = 1, .chunk = 4_KiB}));
  expect_exact_totals(schedule(cluster, "ring",
                               {.kind = Kind::broadcast, .bytes = Bytes(4 * 100'003)},
                               {.channels = 1, .chunk = 4_KiB}));
  // Chunks that do not lie end to end: every second one.
  expect_exact_totals(
      schedule_of(cluster, Bytes(1'000'003), {{3, Coupling::pipeline, {copies({{0, 1}}, 2)}}}, 7));
}

TEST(SteadyStream, ALinkThatIsCrossedTwiceHasWeightTwo) {
  // 0 -> 1 and 0 -> 2 in one body: GPU 0's link to the NVSwitch carries both.
  const auto cluster = single_switch(1, 3);
  const auto star =
      schedule_of(cluster, 10_MB, {{10, Coupling::pipeline, {copies({{0, 1}, {0, 2}}, 1)}}}, 10);
  TransferRoutes routes(cluster, {});
  LinkSums sums(cluster.link_count());
  const auto stage = stages(star.channels()[0]).at(0);
  const auto stream = steady_stream(route_body(star, 0, stage, 0, routes), cluster, {}, sums);
  EXPECT_EQ(stream.bytes, 10e6);
  ASSERT_EQ(stream.hops.size(), 3u);
  for (const auto& hop : stream.hops)
    EXPECT_EQ(hop.share, hop.link == link(cluster, "node0/gpu0 -> node0/nvswitch") ? 2.0 : 1.0);
}

}  // namespace
}  // namespace railyard::sim
