#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collectives/nccl/graph/connect.hpp"
#include "collectives/nccl/search/search.hpp"
#include "tests/collectives/nccl_systems.hpp"

namespace railyard::collectives::nccl {
namespace {

using testing::switched_node;

/// Follows the way up from each node; the tree is one where all of them reach one root.
void expect_one_tree(int nodes, int tree) {
  int roots = 0;
  for (int node = 0; node < nodes; ++node) {
    const NodePlace place = place_in_double_tree(nodes, node, tree);
    if (place.up < 0) ++roots;
    for (const int below : place.down) {
      if (below < 0) continue;
      EXPECT_EQ(place_in_double_tree(nodes, below, tree).up, node);
      EXPECT_EQ(place_in_double_tree(nodes, below, tree).first_child, below == place.down[0]);
    }
    int top = node, steps = 0;
    while (place_in_double_tree(nodes, top, tree).up >= 0 && ++steps <= nodes)
      top = place_in_double_tree(nodes, top, tree).up;
    EXPECT_LE(steps, nodes) << "a loop at node " << node << " of " << nodes;
  }
  EXPECT_EQ(roots, 1) << nodes << " nodes, tree " << tree;
}

TEST(NcclTrees, AreTreesForEveryNumberOfNodes) {
  for (int nodes = 1; nodes <= 65; ++nodes) {
    expect_one_tree(nodes, 0);
    expect_one_tree(nodes, 1);
  }
}

TEST(NcclTrees, ANodeIsALeafInOneOfTwoTreesAtLeast) {
  for (int nodes = 2; nodes <= 64; nodes += 2) {
    for (int node = 0; node < nodes; ++node) {
      const auto is_leaf = [&](int tree) {
        const NodePlace place = place_in_double_tree(nodes, node, tree);
        return place.down[0] < 0 && place.down[1] < 0;
      };
      EXPECT_TRUE(is_leaf(0) || is_leaf(1)) << node << " of " << nodes;
    }
  }
}

TEST(NcclTrees, OfFourteenNodesHangAsInTheFigureOfTheSource) {
  // src/graph/trees.cc: 0 - 8; 8: 4, 12; 4: 2, 6; 12: 10, 13; odd numbers are leaves.
  EXPECT_EQ(place_in_double_tree(14, 0, 0).down, (std::array{-1, 8}));
  EXPECT_EQ(place_in_double_tree(14, 8, 0).down, (std::array{4, 12}));
  EXPECT_EQ(place_in_double_tree(14, 12, 0).down, (std::array{10, 13}));
  EXPECT_EQ(place_in_double_tree(14, 13, 0).up, 12);
  // The second tree is the mirror: 13 - 5.
  EXPECT_EQ(place_in_double_tree(14, 13, 1).down, (std::array{-1, 5}));
  // 13 nodes: shifted by one, the root is 1.
  EXPECT_EQ(place_in_double_tree(13, 1, 1).up, -1);
}

TEST(NcclTrees, JoinTheChainsOfTheNodes) {
  // Plain trees of a DGX H100: the first GPU of the chain is the door to the node above and those
  // below.
  const Communicator found = make_communicator(make_system(switched_node({})), 4);
  const int half = found.channels.search;
  for (const int channel : {0, half}) {
    const std::vector<TreePlace> ranks = connect_tree(found, channel);
    ASSERT_EQ(ranks.size(), 32U);
    EXPECT_EQ(std::ranges::count(ranks, -1, &TreePlace::up), 1);
    std::size_t below = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      below += ranks[rank].down.size();
      EXPECT_LE(ranks[rank].down.size(), 3U);
      for (const int down : ranks[rank].down)
        EXPECT_EQ(ranks[static_cast<std::size_t>(down)].up, static_cast<int>(rank));
    }
    EXPECT_EQ(below, 31U);  // everyone but the root hangs below someone
  }
}

TEST(NcclTrees, BalancedTreesUseTwoGpusOfANode) {
  // DGX A100 (two GPUs and NICs to a switch): the second GPU of the chain leads to the first child.
  const Communicator found = make_communicator(make_system(switched_node({.compute_capability = 80,
                                                                          .nvlinks = 12,
                                                                          .nic_gigabits = 200,
                                                                          .pcie = "16.0 GT/s PCIe",
                                                                          .vendor = "AuthenticAMD",
                                                                          .gpus_per_switch = 2})),
                                               4);
  ASSERT_EQ(found.graph(GraphId::tree)->pattern, GraphPattern::balanced_tree);
  // Node 2 has the children 1 (first) and 3 (second) in the first tree.
  const std::vector<int> chain = node_chain(found, GraphId::tree, 0, 2);
  const std::vector<TreePlace> ranks = connect_tree(found, 0);
  const auto leads_to = [&](int rank, int node) {
    return std::ranges::any_of(ranks[static_cast<std::size_t>(rank)].down,
                               [node](int down) { return down / 8 == node; });
  };
  EXPECT_TRUE(leads_to(chain[1], 1));
  EXPECT_TRUE(leads_to(chain[0], 3));
}

TEST(NcclDescription, NamesEqualChannelsOnce) {
  const Communicator one = make_communicator(make_system(switched_node({.gpus = 1, .nics = 1})), 2);
  // Two searched channels, four of the collective: 0 and 2 are one ring, 1 and 3 the other.
  EXPECT_EQ(describe_rings(one), "Ring 00,02 : 0 1\nRing 01,03 : 0 1\n");
  EXPECT_EQ(describe_trees(one),
            "Tree 00 : node 0: 0, root; below: 1\n          node 1: 1; above: 0\n"
            "Tree 01 : node 0: 0, root; below: 1\n          node 1: 1; above: 0\n"
            "Tree 02 : node 0: 0; above: 1\n          node 1: 1, root; below: 0\n"
            "Tree 03 : node 0: 0; above: 1\n          node 1: 1, root; below: 0\n");
}

TEST(NcclHeads, AreOneGpuOfEachNodePerNic) {
  // 4 NICs beside GPUs 0 to 3: four heads, the same GPU on each node.
  const Communicator found = make_communicator(make_system(switched_node({.nics = 4})), 3);
  EXPECT_EQ(connect_heads(found),
            (std::vector<std::vector<int>>{{0, 8, 16}, {1, 9, 17}, {2, 10, 18}, {3, 11, 19}}));
  EXPECT_EQ(describe_heads(found).substr(0, 23), "NVLS head 00 : 0 8 16\nN");
  EXPECT_EQ(describe_heads(found, 1).substr(0, 35), "NVLS head 00 : 0 ... (2 more ranks)");
  EXPECT_TRUE(describe_heads(make_communicator(make_system(testing::dgx1_v100()), 2)).empty());
}

TEST(NcclDescription, CutsLongListsShortAndSaysSo) {
  const Communicator found = make_communicator(make_system(switched_node({})), 4);
  EXPECT_NE(describe_rings(found, 8).find(" ... (24 more ranks)\n"), std::string::npos);
  EXPECT_NE(describe_trees(found, 2).find("... (2 more nodes)\n"), std::string::npos);
}

}  // namespace
}  // namespace railyard::collectives::nccl
