#include "sim/latency.hpp"

#include <gtest/gtest.h>

#include "sim/analytic/longest_chain.hpp"

namespace railyard::sim {
namespace {

using namespace railyard::literals;

TEST(RingLatency, EqualEdgesCountOncePerIteration) {
  const std::vector<Time> edges(4, 3_us);
  EXPECT_EQ(ring_latency(edges, 3), 9_us);   // n - 1 steps
  EXPECT_EQ(ring_latency(edges, 6), 18_us);  // 2 (n - 1) steps: one turn and a half
}

TEST(RingLatency, TheUnluckiestChunkPassesTheSlowEdgesMostOften) {
  // Edges 1, 1, 10, 1: of 3 consecutive ones the worst hold the 10 once: 12. Of 6 = one turn (13)
  // and 2 more: 10 + 1.
  const std::vector<Time> edges{1_us, 1_us, 10_us, 1_us};
  EXPECT_EQ(ring_latency(edges, 3), 12_us);
  EXPECT_EQ(ring_latency(edges, 6), 24_us);
}

TEST(RingLatency, WindowsWrapAround) {
  // The worst two neighbours are the last and the first: 7 + 5.
  const std::vector<Time> edges{5_us, 1_us, 2_us, 7_us};
  EXPECT_EQ(ring_latency(edges, 2), 12_us);
  EXPECT_EQ(ring_latency(edges, 4), 15_us);
  EXPECT_EQ(ring_latency(edges, 0), 0_us);
}

TEST(LongestChain, TakesTheSlowestWayThroughTheSteps) {
  // 0 -> 1 (2 us, chunk 1 us), 2 -> 1 (5 us, chunk 1 us), then 1 -> 3 (1 us, chunk 4 us):
  // 5 + 1 us of alpha, 1 + 4 us of chunks, the slowest of which is 4 us.
  LongestChain chain;
  chain.pass(0, 1, 2_us, 1_us);
  chain.pass(2, 1, 5_us, 1_us);
  chain.end_step();
  chain.pass(1, 3, 1_us, 4_us);
  chain.end_step();
  EXPECT_EQ(chain.longest().alpha, 6_us);
  EXPECT_EQ(chain.longest().chunks, 5_us);
  EXPECT_EQ(chain.longest().slowest_chunk, 4_us);
}

TEST(LongestChain, TransfersOfOneStepDoNotFollowOneAnother) {
  LongestChain chain;
  chain.pass(0, 1, 2_us, 0_us);
  chain.pass(1, 0, 2_us, 0_us);
  chain.end_step();
  EXPECT_EQ(chain.longest().alpha, 2_us);
}

}  // namespace
}  // namespace railyard::sim
