#include "placement/mapping/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using topology::Cluster;
using topology::testing::leaf_spine;
using topology::testing::rail_clos;
using topology::testing::small_cluster;

const TierLoad& tier(const PhaseLoad& load, TrunkTier at) {
  return load.tiers[static_cast<std::size_t>(at)];
}

// Four nodes of two GPUs; two nodes to a leaf. 400 Gb/s a NIC; a leaf has 4 ports down, so 4 x 50
// GB/s up.
TEST(Evaluate, ARingCrossesEachLeafOnceEachWay) {
  const Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 2);
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::ring, 8, 8_GB)};
  const PhaseLoad load = evaluate(identity(8), phases, tiers).front();
  // Two GPUs a node make two channels: each carries half of the 8 GB from node to node.
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::port).bytes, 4e9);
  EXPECT_EQ(tier(load, TrunkTier::port).time, 80_ms);  // 4 GB at 50 GB/s
  // Nodes 1 -> 2 and 3 -> 0 leave their leaves: 8 GB over 200 GB/s.
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::leaf).bytes, 8e9);
  EXPECT_EQ(tier(load, TrunkTier::leaf).time, 40_ms);
  // Inside a node a channel takes one hop, each GPU passes on half of the 8 GB.
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::node).bytes, 4e9);
  EXPECT_TRUE(tier(load, TrunkTier::pod).trunk.is_none());
  // Bytes x hops: 4 nodes x 8 GB inside x 2; 4 crossings x 8 GB x 4, two of them through a spine
  // x 6.
  EXPECT_DOUBLE_EQ(load.hop_bytes, 4 * 8e9 * 2 + 2 * 8e9 * 4 + 2 * 8e9 * 6);
}

TEST(Evaluate, ARingOverAlternatingLeavesCrossesThemTwice) {
  const Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::ring, 4, 1_GB)};
  const Mapping alternating{{Rank(0), Rank(2), Rank(1), Rank(3)}};
  EXPECT_DOUBLE_EQ(tier(evaluate(identity(4), phases, tiers)[0], TrunkTier::leaf).bytes, 1e9);
  EXPECT_DOUBLE_EQ(tier(evaluate(alternating, phases, tiers)[0], TrunkTier::leaf).bytes, 2e9);
}

TEST(Evaluate, AChainGoesBothWays) {
  const Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::chain, 4, 1_GB)};
  const PhaseLoad load = evaluate(identity(4), phases, tiers).front();
  // Ranks 1 and 2 send to both sides; between the leaves there is one pair.
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::port).bytes, 2e9);
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::leaf).bytes, 1e9);
  // NCCL counts 48 GB/s for PCIe 5.0 x16, less than the port: 2 GB take 41.667 ms.
  EXPECT_EQ(load.bound_by, TrunkTier::node);
  EXPECT_NEAR(load.time.seconds(), 2.0 / 48, 1e-12);
}

// Eight ranks with 8 GB buffers: 1 GB for each pair.
TEST(Evaluate, AnAllToAllCountsPairsThatCross) {
  const Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 2);
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::all_to_all, 8, 8_GB)};
  const PhaseLoad load = evaluate(identity(8), phases, tiers, {.pxn = false}).front();
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::port).bytes, 6e9);   // 6 ranks on other nodes
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::leaf).bytes, 16e9);  // 4 x 4 pairs
  EXPECT_DOUBLE_EQ(load.hop_bytes, 2 * 8e9 + 4 * 48e9 + 2 * 32e9);
}

// Two rails: leaves (unit, rail) with two NICs each.
TEST(Evaluate, PxnKeepsAnAllToAllOnTheRailOfItsDestination) {
  const Cluster cluster = small_cluster(without_headers(rail_clos(2, 2)), 4, 2);
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::all_to_all, 8, 8_GB)};
  // Without: a rank reaches all but its leaf (2 ranks) and the other GPU of its node: 5; two in a
  // leaf.
  EXPECT_DOUBLE_EQ(
      tier(evaluate(identity(8), phases, tiers, {.pxn = false})[0], TrunkTier::leaf).bytes, 10e9);
  // With: the four ranks of a unit send to two destinations of the rail in the other unit.
  const PhaseLoad with = evaluate(identity(8), phases, tiers, {.pxn = true})[0];
  EXPECT_DOUBLE_EQ(tier(with, TrunkTier::leaf).bytes, 8e9);
  // A NIC takes what both GPUs of its node send to the 3 other ranks of the rail.
  EXPECT_DOUBLE_EQ(tier(with, TrunkTier::port).bytes, 6e9);
}

TEST(Evaluate, RailOnlyFabricsNeedPxnAcrossRails) {
  const Cluster cluster = small_cluster(
      without_headers(topology::testing::fabric_of(topology::FabricKind::rail_only)), 2, 2);
  const Tiers tiers(cluster);
  // Rank 0 on node 0's rail 0 talks to rank 1 on node 1's rail 1.
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::chain, 2, 1_GB)};
  const Mapping crossing{{Rank(0), Rank(3)}};
  EXPECT_THAT([&] { (void)evaluate(crossing, phases, tiers, {.pxn = false}); },
              ThrowsMessage<InputError>(HasSubstr("no bandwidth on uplinks of")));
  const PhaseLoad load = evaluate(crossing, phases, tiers, {.pxn = true}).front();
  EXPECT_DOUBLE_EQ(tier(load, TrunkTier::port).bytes, 1e9);
  EXPECT_TRUE(tier(load, TrunkTier::leaf).trunk.is_none());
}

TEST(Evaluate, NamesTheBusiestLink) {
  const Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::chain, 4, 1_GB)};
  const PhaseLoad load = evaluate(identity(4), phases, tiers).front();
  EXPECT_EQ(tiers.name(tier(load, TrunkTier::port).trunk), "node1/nic0 -> pod0/leaf0");
  EXPECT_EQ(tiers.name(tier(load, TrunkTier::leaf).trunk), "uplinks of pod0/leaf0");
}

// Two leaves with two links of 50 GB/s up: B = 100 GB/s, m = 2, L = 4 links.
TEST(UplinkTimes, AreThoseOfTheBusiestLinkUnderHashing) {
  const Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  ASSERT_DOUBLE_EQ(tiers.uplink_widths()[0], 2);
  const std::size_t base = tiers.range(TrunkTier::leaf).begin;
  std::vector<double> cost;
  for (std::size_t i = base; i < tiers.trunk_count(); ++i) cost.push_back(1 / tiers.bandwidth()[i]);
  UplinkLoads loads{std::vector<double>(cost.size(), 0), std::vector<double>(cost.size(), 0)};
  const UplinkTimes even(tiers, cost, false, 1), hashed(tiers, cost, true, 1),
      parts(tiers, cost, true, 4);
  EXPECT_DOUBLE_EQ(hashed(0, loads), 0);
  // One flow of 1 GB has a link to itself, and no more than that.
  loads.bytes[0] = 1e9;
  loads.squares[0] = 1e18;
  EXPECT_DOUBLE_EQ(even(0, loads), 0.01);
  EXPECT_DOUBLE_EQ(hashed(0, loads), 0.02);
  // 16 flows of 1 GB: x = ln 4 * 2 * 16 / 256 = 0.173287, where u = 0.644003: 16 GB (1 + u) over B.
  // In four parts each, x falls to a quarter and u to 0.308464.
  loads.bytes[0] = 16e9;
  loads.squares[0] = 16e18;
  EXPECT_DOUBLE_EQ(even(0, loads), 0.16);
  EXPECT_NEAR(hashed(0, loads), 0.263040, 2e-6);
  EXPECT_NEAR(parts(0, loads), 0.209354, 2e-6);
}

TEST(Evaluate, RefusesMappingsThatAreNotOneToOne) {
  const Cluster cluster = small_cluster(leaf_spine(2), 2, 2);
  EXPECT_THAT(
      [&] {
        check_mapping(Mapping{{Rank(0), Rank(0)}}, cluster);
      },
      ThrowsMessage<InputError>(HasSubstr("is on node0/gpu0, like rank 0")));
  EXPECT_THAT([&] { check_mapping(Mapping{{Rank(9)}}, cluster); },
              ThrowsMessage<InputError>(HasSubstr("is on GPU 9, but the cluster has 4")));
  EXPECT_NO_THROW(check_mapping(shuffled(4, 3), cluster));
}

}  // namespace
}  // namespace railyard::placement
