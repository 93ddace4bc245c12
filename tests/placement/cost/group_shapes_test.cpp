#include "placement/cost/group_shapes.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

// 512 ranks, tp 8 cp 1 dp 8 pp 8 on nodes of 8: a tensor group fills a node; data groups have one
// GPU on each of 8 neighbouring nodes, and 8 of them share a node; stages are 8 nodes apart.
TEST(GroupShapes, MegatronsOrderKeepsTensorGroupsInANode) {
  const GroupShapes s = group_shapes({.tp = 8, .pp = 8, .dp = 8}, kDefaultOrder, 8);
  EXPECT_EQ(s.tp, (GroupShape{.size = 8, .per_node = 8}));
  EXPECT_EQ(s.dp, (GroupShape{.size = 8, .beside = 8}));
  EXPECT_EQ(s.pp, (GroupShape{.size = 8, .node_stride = 8, .beside = 8}));
}

// tp 2: four tensor groups a node; a data group of 32 has 4 GPUs (every second) on each of 8 nodes.
TEST(GroupShapes, SmallTensorGroupsLeaveSeveralReplicasOnANode) {
  const GroupShapes s = group_shapes({.tp = 2, .dp = 32}, kDefaultOrder, 8);
  EXPECT_EQ(s.tp, (GroupShape{.size = 2, .per_node = 2, .beside = 4}));
  EXPECT_EQ(s.dp, (GroupShape{.size = 32, .per_node = 4, .gpu_stride = 2, .beside = 2}));
}

// tp 16 is two nodes.
TEST(GroupShapes, ALargeTensorGroupCrossesNodes) {
  EXPECT_EQ(group_shapes({.tp = 16, .dp = 4}, kDefaultOrder, 8).tp,
            (GroupShape{.size = 16, .per_node = 8}));
}

// pp next to tp: stages of tp 4 are on the same node, two of them; the replicas move apart.
// Sixteen replicas on two nodes, a copy on each: gathers stay inside a node, and a GPU sums its
// part with the same GPU of the other node, eight such pairs side by side.
TEST(GroupShapes, AShardGroupOfANodeLeavesACopyOnEach) {
  const GroupShapes shapes =
      group_shapes({.dp = 16, .zero = 3, .shard_group = 8}, kDefaultOrder, 8);
  EXPECT_EQ(shapes.shard.size, 8u);
  EXPECT_EQ(shapes.shard.nodes(), 1u);
  EXPECT_EQ(shapes.mirrors.size, 2u);
  EXPECT_EQ(shapes.mirrors.nodes(), 2u);
  EXPECT_EQ(shapes.mirrors.beside, 8u);
  EXPECT_EQ(shapes.replicas.size, 16u);
}

TEST(GroupShapes, TheOrderDecidesWhatIsNear) {
  const GroupShapes s =
      group_shapes({.tp = 4, .pp = 2, .dp = 4}, parse_order("tp-pp-cp-dp", "--order"), 8);
  EXPECT_EQ(s.pp, (GroupShape{.size = 2, .per_node = 2, .gpu_stride = 4, .beside = 4}));
  EXPECT_EQ(s.dp, (GroupShape{.size = 4, .beside = 8}));
}

// Experts over 8 of tp 2 x dp 8 ranks: a node; each expert has 16 / 8 copies, one a node.
TEST(GroupShapes, ExpertsTakeNeighbouringRanks) {
  const GroupShapes s = group_shapes({.tp = 2, .dp = 8, .ep = 8}, kDefaultOrder, 8);
  EXPECT_EQ(s.ep, (GroupShape{.size = 8, .per_node = 8}));
  EXPECT_EQ(s.expert_replicas, (GroupShape{.size = 2, .beside = 8}));
}

// dp 16 on nodes of 8, state shared inside nodes: 8 neighbours, and pairs over the two nodes, 8 of
// which share a node. Experts over 4: a copy has 4 replicas of each expert, of which 2 a node
// share.
TEST(GroupShapes, CopiesOfShardedStateAreNeighbours) {
  const GroupShapes s =
      group_shapes({.dp = 16, .ep = 4, .zero = 1, .shard_group = 8}, kDefaultOrder, 8);
  EXPECT_EQ(s.shard, (GroupShape{.size = 8, .per_node = 8}));
  EXPECT_EQ(s.mirrors, (GroupShape{.size = 2, .beside = 8}));
  EXPECT_EQ(s.expert_shard, (GroupShape{.size = 2, .per_node = 2, .gpu_stride = 4, .beside = 4}));
  EXPECT_EQ(s.expert_mirrors, (GroupShape{.size = 2, .beside = 8}));
  const GroupShapes one = group_shapes({.dp = 16, .zero = 1}, kDefaultOrder, 8);
  EXPECT_EQ(one.shard, one.replicas);
  EXPECT_EQ(one.mirrors.size, 1U);
}

// Experts cut by tp 2 over ep 4: every second of 8 neighbours, two such groups a node; of 16 ranks
// each part of an expert is on two, a node apart. cp 2 and dp 4 sum gradients together.
TEST(GroupShapes, ExpertsThatAreCutTakeEverySecondRank) {
  const GroupShapes s = group_shapes({.tp = 2, .dp = 8, .ep = 4, .etp = 2}, kDefaultOrder, 8);
  EXPECT_EQ(s.ep, (GroupShape{.size = 4, .per_node = 4, .gpu_stride = 2, .beside = 2}));
  EXPECT_EQ(s.expert_replicas, (GroupShape{.size = 2, .beside = 8}));
  EXPECT_EQ(group_shapes({.dp = 4, .cp = 2}, kDefaultOrder, 8).replicas,
            (GroupShape{.size = 8, .per_node = 8}));
}

TEST(GroupShapes, AnOrderNamesEachDimensionOnce) {
  EXPECT_EQ(to_text(parse_order("pp-dp-cp-tp", "--order")), "pp-dp-cp-tp");
  for (const char* text : {"tp-cp-dp", "tp-tp-dp-pp", "tp-cp-dp-pp-ep", "tp,cp,dp,pp", ""})
    EXPECT_THROW((void)parse_order(text, "--order"), InputError) << text;
}

}  // namespace
}  // namespace railyard::placement
