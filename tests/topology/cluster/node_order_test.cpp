#include "topology/cluster/node_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/diagnostic.hpp"
#include "tests/topology/small_cluster.hpp"

namespace railyard::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Cluster eight_nodes() {
  return build_cluster(small_spec(8, 2, {.kind = FabricKind::single_switch}));
}

std::vector<std::uint32_t> numbers(const std::vector<NodeId>& nodes) {
  std::vector<std::uint32_t> found;
  for (const NodeId node : nodes) found.push_back(node.value());
  return found;
}

std::string file_with(const std::string& text) {
  const std::string path = testing::TempDir() + "/railyard_node_order.txt";
  std::ofstream(path) << text;
  return path;
}

std::string refusal(const std::string& order) {
  try {
    static_cast<void>(nodes_in_order(eight_nodes(), order, 1, "--rank-order"));
  } catch (const InputError& error) {
    return to_text(error.diagnostics().front());
  }
  return "";
}

TEST(NodeOrder, RandomIsAPermutationDrawnFromTheSeed) {
  const Cluster cluster = eight_nodes();
  const auto first = numbers(nodes_in_order(cluster, "random", 1, ""));
  EXPECT_THAT(first, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(first, numbers(nodes_in_order(cluster, "random", 1, "")));
  EXPECT_NE(first, numbers(nodes_in_order(cluster, "random", 2, "")));
}

TEST(NodeOrder, AFileListsNodesAsSlurmDoes) {
  const std::string file = file_with("# allocation\nnode5 2\n\nnode[0-1,7]  # last\n");
  EXPECT_THAT(numbers(nodes_in_order(eight_nodes(), file, 1, "")), ElementsAre(5, 2, 0, 1, 7));
}

TEST(NodeOrder, WrongFilesAreRefusedWithTheLine) {
  EXPECT_THAT(refusal(file_with("node1\nnode9\n")), HasSubstr("line 2: the cluster has no node "
                                                              "'node9'"));
  EXPECT_THAT(refusal(file_with("3 node[2-4]")), HasSubstr("line 1: 'node3' is listed twice"));
  EXPECT_THAT(refusal(file_with("host-a")), HasSubstr("no node 'host-a'"));
  EXPECT_THAT(refusal(file_with("node[1-")), HasSubstr("line 1"));
  EXPECT_THAT(refusal(file_with("# nothing\n")), HasSubstr("lists no node"));
  EXPECT_THAT(refusal("shufled"), HasSubstr("contiguous, random, or the path"));
}

// Two GPUs a node: five ranks are those of nodes 3 and 1, and the first of node 0.
TEST(NodeOrder, RanksFollowNodeByNode) {
  const Cluster cluster = eight_nodes();
  const std::vector<NodeId> nodes{NodeId(3), NodeId(1), NodeId(0)};
  EXPECT_THAT(ranks_of_nodes(cluster, nodes, 5, "--x"),
              ElementsAre(Rank(6), Rank(7), Rank(2), Rank(3), Rank(0)));
  EXPECT_THROW(static_cast<void>(ranks_of_nodes(cluster, nodes, 7, "--x")), InputError);
}

}  // namespace
}  // namespace railyard::topology
