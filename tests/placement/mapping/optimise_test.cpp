#include "placement/mapping/optimise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/diagnostic.hpp"
#include "placement/mapping/arrangement.hpp"
#include "placement/mapping/node_blocks.hpp"
#include "placement/mapping/unit_loads.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using topology::Cluster;
using namespace topology::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// TP and DP rings and a PP chain.
std::vector<TrafficPhase> dense(const RankGrid& grid) {
  return {{.name = "tp", .traffic = {{TrafficPattern::ring, grid.groups({GridAxis::tp}), 40_GB}}},
          {.name = "dp",
           .traffic = {{TrafficPattern::ring, grid.groups({GridAxis::ep, GridAxis::dp}), 2_GB}}},
          {.name = "pp", .traffic = {{TrafficPattern::chain, grid.groups({GridAxis::pp}), 1_GB}}}};
}

topology::FabricSpec oversubscribed(topology::FabricSpec fabric) {
  fabric.leaf_oversubscription = 2;
  if (fabric.kind != topology::FabricKind::leaf_spine) fabric.spine_oversubscription = 2;
  return without_headers(std::move(fabric));
}

TEST(AxisOrders, AreAllPermutationsOfWhatIsLargerThanOne) {
  const RankGrid grid = RankGrid::in_order({.tp = 2, .dp = 4, .pp = 3});
  const std::vector<Layout> orders = axis_orders(grid);
  EXPECT_EQ(orders.size(), 6u);
  std::set<std::string> names;
  for (const Layout& layout : orders) names.insert(to_text(layout));
  EXPECT_EQ(names.size(), 6u);
  EXPECT_TRUE(names.contains("dp4-tp2-pp3"));
}

TEST(AxisOrders, NeighboursMovePrimeParts) {
  std::vector<std::string> names;
  for (const Layout& layout : neighbours({{GridAxis::tp, 2}, {GridAxis::dp, 4}}))
    names.push_back(to_text(layout));
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("dp4-tp2", "dp2-tp2-dp2"));
}

TEST(NodeBlocks, AreTheLargestDivisorsThatFit) {
  const Cluster cluster = small_cluster(leaf_spine(2), 4, 4);
  const Tiers tiers(cluster);
  // Node 0 has three free GPUs, node 1 all four: blocks of 3 (6 ranks: two), 2 (three), 1.
  const std::vector<Rank> free{Rank(0), Rank(1), Rank(2), Rank(4), Rank(5), Rank(6), Rank(7)};
  std::vector<std::size_t> sizes;
  for (const NodeBlocks& cut : cut_into_blocks(tiers, free, 6)) sizes.push_back(cut.block);
  EXPECT_THAT(sizes, ElementsAre(3, 2, 1));
  EXPECT_THAT([&] { (void)cut_into_blocks(tiers, free, 8); },
              ThrowsMessage<InputError>(HasSubstr("the job has 8 ranks, but 7 GPUs are free")));
}

TEST(NodeBlocks, KeepRunsBelowALeaf) {
  const Cluster cluster = small_cluster(leaf_spine(4), 8, 1);
  const Tiers tiers(cluster);
  // Three nodes free below each of two leaves: runs of two, then the odd ones.
  const std::vector<Rank> free{Rank(0), Rank(1), Rank(2), Rank(4), Rank(5), Rank(6)};
  const NodeBlocks blocks{1, free};
  const auto orders = block_orders(tiers, blocks, 6);
  const std::vector<std::uint32_t> expected{0, 1, 3, 4, 2, 5};
  EXPECT_NE(std::ranges::find(orders, expected), orders.end());
}

TEST(NodeBlocks, TakeTheSmallestPodThatFits) {
  // Pods of 4 nodes; 4 free in pod 0, 2 in pod 1: a job of two nodes leaves pod 0 whole.
  const Cluster cluster = small_cluster(clos3(2, 2), 8, 1);
  const Tiers tiers(cluster);
  const NodeBlocks blocks{1, {Rank(0), Rank(1), Rank(2), Rank(3), Rank(5), Rank(6)}};
  const auto orders = block_orders(tiers, blocks, 2);
  const std::vector<std::uint32_t> packed{4, 5};
  EXPECT_NE(std::ranges::find(orders, packed), orders.end());
}

// Nodes of one GPU, four to a leaf; leaf 0 has all free, leaf 1 two, leaf 2 three. Two go where
// nothing is left over, three fill leaf 2, five take leaf 0 and of the two that hold one the
// smaller.
TEST(Packed, TakesTheLeavesThatItFillsAndLeavesTheOthersWhole) {
  const Cluster cluster = small_cluster(leaf_spine(4), 12, 1);
  const Tiers tiers(cluster);
  std::vector<Rank> free;
  for (const int r : {0, 1, 2, 3, 4, 6, 9, 10, 11}) free.emplace_back(r);
  const auto first = [&](std::size_t ranks) {
    std::vector<std::uint32_t> taken;
    const std::vector<Rank> order = packed(tiers, free, ranks);
    EXPECT_EQ(order.size(), free.size());
    for (std::size_t i = 0; i < ranks; ++i) taken.push_back(order[i].value());
    return taken;
  };
  EXPECT_THAT(first(2), ElementsAre(4, 6));
  EXPECT_THAT(first(3), ElementsAre(9, 10, 11));
  EXPECT_THAT(first(5), ElementsAre(0, 1, 2, 3, 4));
}

TEST(Optimise, IsOneToOneOnFreeGpusAndNeverWorseThanAnyAxisOrder) {
  const Cluster cluster = small_cluster(oversubscribed(clos3(4, 2)), 32, 4);
  const Tiers tiers(cluster);
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    // 20 of the 32 nodes are free, in random order, for 64 ranks on 16 of them.
    std::vector<NodeId> nodes = shuffled_nodes(32, seed);
    nodes.resize(20);
    const std::vector<Rank> free = gpus_of_nodes(cluster, nodes);
    const RankGrid grid = RankGrid::in_order({.tp = 4, .ep = 2, .dp = 2, .pp = 4});
    std::vector<TrafficPhase> phases = dense(grid);
    phases.push_back(
        {.name = "ep",
         .traffic = {{TrafficPattern::all_to_all, grid.groups({GridAxis::ep}), 1_GB}}});
    const MappingRequest request{.grid = &grid, .phases = phases, .free = free, .seed = seed};
    const MappingChoice choice = optimise_mapping(tiers, request);
    ASSERT_EQ(choice.mapping.size(), 64u);
    check_mapping(choice.mapping, cluster);
    for (const Rank gpu : choice.mapping.gpus)
      ASSERT_NE(std::ranges::find(free, gpu), free.end()) << gpu.value();
    Evaluator evaluator(tiers, phases, {});
    for (const bool sorted : {false, true}) {
      std::vector<Rank> gpus = free;
      if (sorted) std::ranges::sort(gpus);
      gpus.resize(64);
      for (const Layout& layout : axis_orders(grid)) {
        const MappingScore other = evaluator.score(map_in_order(grid.ranks_in(layout), gpus));
        EXPECT_FALSE(is_better(other, choice.score)) << to_text(layout);
      }
    }
    const MappingScore again = evaluator.score(choice.mapping);
    EXPECT_DOUBLE_EQ(again.seconds, choice.score.seconds);
  }
}

TEST(Optimise, FindsTheNodeOrderThatAShuffleHid) {
  // 16 nodes of 4 GPUs, 4 to a leaf. TP 4 in a node, DP 4, PP 4: with nodes in tree order a DP ring
  // (or a PP chain) stays below its leaf.
  const Cluster cluster = small_cluster(oversubscribed(leaf_spine(4)), 16, 4);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order({.tp = 4, .dp = 4, .pp = 4});
  const std::vector<TrafficPhase> phases = dense(grid);
  const std::vector<Rank> in_order = all_gpus(cluster);
  const std::vector<Rank> mixed = gpus_of_nodes(cluster, shuffled_nodes(16, 7));
  const MappingChoice best =
      best_axis_order(tiers, {.grid = &grid, .phases = phases, .free = in_order});
  const MappingChoice naive =
      best_axis_order(tiers, {.grid = &grid, .phases = phases, .free = mixed});
  const MappingChoice found =
      optimise_mapping(tiers, {.grid = &grid, .phases = phases, .free = mixed});
  EXPECT_TRUE(is_better(found.score, naive.score));
  EXPECT_FALSE(is_better(best.score, found.score));
}

TEST(Optimise, EqualsBruteForceOnTinyClusters) {
  // Six nodes of one GPU, two to a leaf, three leaves: all 720 mappings of random traffic.
  const Cluster cluster = small_cluster(oversubscribed(leaf_spine(2)), 6, 1);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order({.dp = 6});
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<TrafficPhase> phases;
    for (int p = 0; p < 2; ++p) {
      const Mapping order = shuffled(6, random());
      std::vector<JobRank> members;
      for (const Rank r : order.gpus) members.emplace_back(r.value());
      const auto pattern = static_cast<TrafficPattern>(random() % 3);
      phases.push_back(
          {.name = "random",
           .traffic = {{pattern, RankGroups(members, random() % 2 == 0 ? 2 : 3),
                        Bytes(static_cast<std::int64_t>(1 + random() % 4) * 1'000'000)}}});
    }
    Evaluator evaluator(tiers, phases, {});
    Mapping mapping = identity(6);
    MappingScore best = evaluator.score(mapping);
    while (std::ranges::next_permutation(mapping.gpus).found) {
      const MappingScore score = evaluator.score(mapping);
      if (is_better(score, best)) best = score;
    }
    const MappingChoice choice = optimise_mapping(
        tiers, {.grid = &grid, .phases = phases, .free = all_gpus(cluster), .seed = seed});
    EXPECT_NEAR(choice.score.seconds, best.seconds, 1e-9 * best.seconds) << "seed " << seed;
    EXPECT_NEAR(choice.score.uplink_seconds, best.uplink_seconds, 1e-9 * best.uplink_seconds)
        << "seed " << seed;
  }
}

TEST(UnitLoads, FollowMovesExactly) {
  const Cluster cluster = small_cluster(oversubscribed(rail_clos(2, 2)), 8, 2);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order({.tp = 2, .ep = 2, .dp = 2, .pp = 2});
  for (const bool pxn : {false, true}) {
    std::vector<TrafficPhase> phases = dense(grid);
    phases.push_back({.name = "ep",
                      .traffic = {{TrafficPattern::all_to_all,
                                   grid.groups({GridAxis::tp, GridAxis::ep}), 1_GB}}});
    const Mapping start = identity(16);
    const EvaluateOptions options{.pxn = pxn, .hashed = pxn};
    const UnitTraffic traffic(tiers, phases, start, pxn, false);
    Evaluator evaluator(tiers, phases, options);
    UnitLoads loads(tiers, phases, options, traffic, evaluator.floors(start));
    loads.place(traffic.nodes());
    EXPECT_NEAR(loads.cost().seconds, evaluator.score(start).seconds, 1e-12);
    std::mt19937_64 random(5);
    for (int step = 0; step < 40; ++step) {
      const auto a = static_cast<std::uint32_t>(random() % 8),
                 b = static_cast<std::uint32_t>(random() % 8);
      if (a == b) continue;
      const std::vector<UnitLoads::Move> moves{{a, loads.node(b)}, {b, loads.node(a)}};
      loads.apply(moves);
      const MappingScore score = evaluator.score(traffic.mapping(tiers, loads.nodes()));
      ASSERT_NEAR(loads.cost().seconds, score.seconds, 1e-12);
      ASSERT_NEAR(loads.cost().uplink_seconds, score.uplink_seconds, 1e-12);
    }
  }
}

TEST(Arrangement, MovesOntoFreeNodesOfTheSamePod) {
  // Two nodes that talk sit in two pods; the second node of the first pod is free.
  const Cluster cluster = small_cluster(oversubscribed(clos3(2, 1)), 4, 1);
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases{one_group(TrafficPattern::chain, 2, 1_GB)};
  const std::vector<Rank> free{Rank(0), Rank(1), Rank(2)};
  const Mapping apart{{Rank(0), Rank(2)}};
  const Arrangement found =
      improve_arrangement(tiers, phases, {}, apart, free, {.work = 100'000, .seed = 1});
  EXPECT_THAT(found.mapping.gpus, ElementsAre(Rank(0), Rank(1)));
  EXPECT_GE(found.kept, 1u);
}

}  // namespace
}  // namespace railyard::placement
