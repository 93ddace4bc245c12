#include "placement/mapping/routed_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "placement/mapping/optimise.hpp"
#include "placement/mapping/routed_score.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using namespace topology::testing;
using topology::Cluster;
using topology::RoutingPolicy;

// What a PCIe link of 32 GT/s carries (NCCL's figure); NICs and uplinks have 50 GB/s.
constexpr double kPcie = 48e9;

topology::FabricSpec two_to_one(topology::FabricSpec fabric) {
  fabric.leaf_oversubscription = 2;
  return without_headers(std::move(fabric));
}

// Nodes of one GPU, four to a leaf with two uplinks. A chain 0-4 sends 10 GB each way over PCIe, a
// port and one uplink: 10 / 48 s; twice a step.
TEST(RoutedScore, IsBytesOverBandwidthOfTheBusiestLink) {
  const Cluster cluster = small_cluster(two_to_one(leaf_spine(4)), 8, 1);
  const Tiers tiers(cluster);
  TrafficPhase phase{
      .name = "pp",
      .traffic = {{TrafficPattern::chain, RankGroups({JobRank(0), JobRank(1)}, 2), 10_GB}},
      .count = 2};
  RoutedScore routed(tiers, {&phase, 1}, {.policy = RoutingPolicy::ecmp}, {});
  EXPECT_NEAR(routed(Mapping{{Rank(0), Rank(4)}}), 2 * 10e9 / kPcie, 1e-9);
  // Asked again, nothing is left of before.
  EXPECT_NEAR(routed(Mapping{{Rank(0), Rank(1)}}), 2 * 10e9 / kPcie, 1e-9);
}

// Four pairs from leaf to leaf over two uplinks: adaptive routing puts two on each, 0.4 s. A hash
// puts at least two on one: 0.4, 0.6 or 0.8 s.
TEST(RoutedScore, KnowsTheCollisionsOfAHash) {
  const Cluster cluster = small_cluster(two_to_one(leaf_spine(4)), 8, 1);
  const Tiers tiers(cluster);
  std::vector<JobRank> members;
  Mapping mapping;
  for (std::uint32_t i = 0; i < 4; ++i) {
    members.insert(members.end(), {JobRank(2 * i), JobRank(2 * i + 1)});
    mapping.gpus.insert(mapping.gpus.end(), {Rank(i), Rank(4 + i)});
  }
  const TrafficPhase phase{.name = "pp",
                           .traffic = {{TrafficPattern::chain, RankGroups(members, 2), 10_GB}}};
  RoutedScore adaptive(tiers, {&phase, 1}, {.policy = RoutingPolicy::adaptive}, {});
  EXPECT_NEAR(adaptive(mapping), 0.4, 1e-9);
  bool collides = false;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    RoutedScore hashed(tiers, {&phase, 1}, {.policy = RoutingPolicy::ecmp, .seed = seed}, {});
    const double fifths = hashed(mapping) / 0.2;
    EXPECT_NEAR(fifths, std::round(fifths), 1e-6);
    EXPECT_GE(fifths, 2 - 1e-6);
    EXPECT_LE(fifths, 4 + 1e-6);
    collides = collides || fifths > 2.5;
  }
  EXPECT_TRUE(collides);
}

TEST(RoutedScore, IsInfiniteWhereThereIsNoWay) {
  topology::FabricSpec fabric = without_headers(fabric_of(topology::FabricKind::rail_only));
  fabric.nodes_per_unit = 4;
  const Cluster cluster = small_cluster(fabric, 4, 2);
  const Tiers tiers(cluster);
  const TrafficPhase phase = one_group(TrafficPattern::ring, 2, 1_GB);
  RoutedScore routed(tiers, {&phase, 1}, {}, {.pxn = false});
  EXPECT_TRUE(std::isinf(routed(Mapping{{Rank(0), Rank(3)}})));  // rails 0 and 1
  EXPECT_FALSE(std::isinf(routed(Mapping{{Rank(0), Rank(2)}})));
}

// Two leaves of four nodes; the job is on three nodes of the first and two of the second.
TEST(ReorderedNodes, StayBelowTheirLeaf) {
  const Cluster cluster = small_cluster(leaf_spine(4), 8, 1);
  const Tiers tiers(cluster);
  const Mapping mapping{{Rank(0), Rank(1), Rank(3), Rank(4), Rank(6)}};
  EXPECT_EQ(reordered_nodes(tiers, mapping, {.by = 1}),
            (Mapping{{Rank(1), Rank(3), Rank(0), Rank(6), Rank(4)}}));
  // By 2 below the first leaf, by 3 below the second, which is 1 of two.
  EXPECT_EQ(reordered_nodes(tiers, mapping, {.by = 2, .more_by = 1}),
            (Mapping{{Rank(3), Rank(0), Rank(1), Rank(6), Rank(4)}}));
}

TEST(ReorderedNodes, ExchangeOnlyNodesWithTheSameGpus) {
  const Cluster cluster = small_cluster(leaf_spine(4), 4, 2);
  const Tiers tiers(cluster);
  // Nodes 0 and 2 have both GPUs, node 1 its first.
  const Mapping mapping{{Rank(0), Rank(1), Rank(2), Rank(4), Rank(5)}};
  EXPECT_EQ(reordered_nodes(tiers, mapping, {.by = 1}),
            (Mapping{{Rank(4), Rank(5), Rank(2), Rank(0), Rank(1)}}));
}

// tp inside nodes, dp rings and pp chains over 16 nodes in random order.
TEST(BestRoutedMapping, IsNeverWorseThanTheBestAxisOrder) {
  const Cluster cluster = small_cluster(two_to_one(clos3(4, 2)), 16, 4);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order({.tp = 4, .dp = 4, .pp = 4});
  const std::vector<TrafficPhase> phases{
      {.name = "dp", .traffic = {{TrafficPattern::ring, grid.groups({GridAxis::dp}), 2_GB}}},
      {.name = "pp",
       .traffic = {{TrafficPattern::chain, grid.groups({GridAxis::pp}), 1_GB}},
       .count = 4}};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::vector<Rank> free = gpus_of_nodes(cluster, shuffled_nodes(16, seed));
    for (const RoutingPolicy policy : {RoutingPolicy::ecmp, RoutingPolicy::adaptive}) {
      const MappingRequest request{.grid = &grid,
                                   .phases = phases,
                                   .free = free,
                                   .evaluate = {.hashed = policy == RoutingPolicy::ecmp},
                                   .judged_by = topology::RoutingOptions{.policy = policy}};
      const MappingChoice chosen = optimise_mapping(tiers, request);
      const MappingChoice axis = best_axis_order(tiers, request);
      RoutedScore routed(tiers, phases, *request.judged_by, {});
      check_mapping(chosen.mapping, cluster);
      ASSERT_TRUE(chosen.routed_seconds);
      EXPECT_NEAR(*chosen.routed_seconds, routed(chosen.mapping), 1e-12);
      EXPECT_LE(chosen.score.seconds, axis.score.seconds * (1 + 1e-9));
      EXPECT_LE(*chosen.routed_seconds, routed(axis.mapping) * (1 + 1e-9)) << seed;
    }
  }
}

// Experts over a partly free cluster whose uplinks are what is waited for: what is found with
// hashed uplinks sends less over them, and is looked at without hashing too.
TEST(BestRoutedMapping, LooksAtWhatSendsLessOverUplinks) {
  topology::FabricSpec fabric = two_to_one(clos3(4, 2));
  fabric.leaf_oversubscription = 3;
  const Cluster cluster = small_cluster(fabric, 64, 4);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order({.tp = 2, .ep = 2, .dp = 12, .pp = 3});
  const std::vector<TrafficPhase> phases{
      {.name = "ep", .traffic = {{TrafficPattern::all_to_all, grid.groups({GridAxis::ep}), 1_GB}}},
      {.name = "dp", .traffic = {{TrafficPattern::ring, grid.groups({GridAxis::dp}), 2_GB}}},
      {.name = "pp", .traffic = {{TrafficPattern::chain, grid.groups({GridAxis::pp}), 1_GB}}}};
  const topology::RoutingOptions adaptive{.policy = RoutingPolicy::adaptive};
  int won = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::vector<Rank> free = gpus_of_nodes(cluster, shuffled_nodes(64, seed));
    free.resize(40 * 4);
    MappingRequest request{.grid = &grid, .phases = phases, .free = free};
    RoutedScore routed(tiers, phases, adaptive, {});
    const double even = routed(optimise_mapping(tiers, request).mapping);
    request.evaluate.hashed = true;
    const MappingChoice hashed = optimise_mapping(tiers, request);
    request.evaluate.hashed = false;
    // No busier than the best axis order over the free GPUs, as given or by the tree.
    double most = best_axis_order(tiers, request).score.seconds;
    std::vector<Rank> by_tree = free;
    std::ranges::sort(by_tree);
    MappingRequest in_order = request;
    in_order.free = std::span<const Rank>(by_tree).first(grid.size());
    most = std::min(most, best_axis_order(tiers, in_order).score.seconds);
    request.judged_by = adaptive;
    const MappingChoice chosen = optimise_mapping(tiers, request);
    if (*chosen.routed_seconds <= 1.2 * chosen.score.seconds) continue;
    Evaluator evaluator(tiers, phases, {});
    if (evaluator.score(hashed.mapping).seconds > most) continue;
    EXPECT_LE(*chosen.routed_seconds, routed(hashed.mapping) * (1 + 1e-9)) << seed;
    if (routed(hashed.mapping) < even) ++won;
  }
  EXPECT_GT(won, 0);
}

}  // namespace
}  // namespace railyard::placement
