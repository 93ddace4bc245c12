#include "topology/formats/slurm_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/node_text.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "leaf0: gpu01 gpu02", a line per switch.
std::string tree_text(const SwitchTree& tree) {
  std::string text;
  for (const TreeSwitch& node : tree.switches) {
    text += node.name + ":";
    for (const std::string& child : node.switches) text += " " + child;
    for (const std::string& host : node.hosts) text += " " + host;
    text += "\n";
  }
  return text;
}

std::string conf_error(std::string_view text) {
  try {
    (void)read_slurm_conf(text, "t.conf");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string yaml_error(std::string_view text) {
  try {
    (void)read_slurm_yaml(text, "t.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SlurmConf, ReadsATree) {
  const SlurmTopology topology = read_slurm_conf(fixture("three_levels.conf"), "t.conf");
  EXPECT_EQ(tree_text(topology.tree), R"(core: spine0 spine1
spine0: leaf0 leaf1
spine1: leaf2
leaf0: gpu01 gpu02
leaf1: gpu03 gpu04
leaf2: gpu05 gpu07
)");
  EXPECT_THAT(topology.notes, IsEmpty());
}

// Two NICs a host: 4 cables from the hosts of leaf0, so 4 up, and 8 from spine0; leaf2 and spine1
// have 4.
TEST(SlurmConf, BecomesAnExplicitFabricWithoutOversubscription) {
  const SlurmTopology topology = read_slurm_conf(fixture("three_levels.conf"), "t.conf");
  const Bandwidth rate = Bandwidth::gigabits_per_second(400);
  const FabricSpec fabric = fabric_of_tree(topology.tree, 2, rate);
  std::string switches, cables;
  for (const SwitchSpec& node : fabric.switches)
    switches += node.name + " " + std::to_string(node.tier) + "\n";
  EXPECT_EQ(switches, "core 3\nspine0 2\nspine1 2\nleaf0 1\nleaf1 1\nleaf2 1\n");
  for (const CableSpec& cable : fabric.cables) {
    cables += cable.a + " " + cable.b + " x" + std::to_string(cable.count) + "\n";
    EXPECT_EQ(cable.bandwidth, rate);
  }
  EXPECT_EQ(cables, R"(node0/nic0 leaf0 x1
node0/nic1 leaf0 x1
node1/nic0 leaf0 x1
node1/nic1 leaf0 x1
node2/nic0 leaf1 x1
node2/nic1 leaf1 x1
node3/nic0 leaf1 x1
node3/nic1 leaf1 x1
node4/nic0 leaf2 x1
node4/nic1 leaf2 x1
node5/nic0 leaf2 x1
node5/nic1 leaf2 x1
leaf0 spine0 x4
leaf1 spine0 x4
leaf2 spine1 x4
spine0 core x8
spine1 core x4
)");
  EXPECT_EQ(fabric_of_tree(topology.tree, 2, rate, 4.0).cables[12].count, 1);
}

TEST(SlurmConf, TakesBlocksForLeavesBelowOneSpine) {
  const SlurmTopology topology =
      read_slurm_conf("BlockName=a Nodes=n[1-2]\nBlockName=b Nodes=n3\nBlockSizes=2,4\n", "t");
  EXPECT_EQ(tree_text(topology.tree), "a: n1 n2\nb: n3\nblocks: a b\n");
  EXPECT_THAT(topology.notes, ElementsAre("assumed: a leaf switch per block and one spine, because "
                                          "a block topology does not list switches"));
}

TEST(SlurmConf, ReportsEveryProblemWithItsLine) {
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n[1-\nSwitchName=b Switches=c\nSwichName=d Nodes=n9\n"),
            "t.conf:line 1: Nodes: '[' without ']' (such as tux[0-15])\n"
            "t.conf:line 3: 'swichname' is not the beginning of a line of topology.conf (did you "
            "mean 'switchname'?)\n"
            "t.conf:line 1: switch a has nothing connected below it\n"
            "t.conf:line 2: there is no switch c");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n1\n"),
            "t.conf:line 2: switch a is listed twice\nt.conf:line 2: node n1 is below a already");
  EXPECT_EQ(
      conf_error("SwitchName=a Nodes=n1 Switches=b\nSwitchName=b Nodes=n2\n"),
      "t.conf:line 1: switch a has both nodes and switches (Slurm's trees have nodes below their "
      "lowest switches only)");
  EXPECT_EQ(conf_error("SwitchName=a Nodes=n1 Bandwidth=3\n"),
            "t.conf:line 1: unknown key 'bandwidth'");
  EXPECT_EQ(conf_error("hello\n"), "t.conf:line 1: 'hello' is not Key=value");
  EXPECT_EQ(conf_error(""), "t.conf: lists no nodes");
}

TEST(SlurmConf, RefusesCyclesAndTooManyLevels) {
  EXPECT_EQ(conf_error("SwitchName=a Switches=b\nSwitchName=b Switches=a\n"),
            "t.conf:line 1: switch a is above itself, or above more than 16 levels\n"
            "t.conf:line 2: switch b is above itself, or above more than 16 levels");
  EXPECT_EQ(
      conf_error("SwitchName=a Nodes=n\nSwitchName=b Switches=a\nSwitchName=c Switches=b\n"
                 "SwitchName=d Switches=c\n"),
      "t.conf:line 4: switch d is on level 4 (Railyard's fabrics have three: leaf, spine, core)");
}

TEST(SlurmYaml, ReadsTheTreeOfTheDefaultTopology) {
  const SlurmTopology topology = read_slurm_yaml(fixture("tree.yaml"), "t.yaml");
  EXPECT_EQ(tree_text(topology.tree),
            "root: rack1 rack2\nrack1: node01 node02 node03\nrack2: node04 node05 node06\n");
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(SlurmYaml, ReadsBlocks) {
  const SlurmTopology topology = read_slurm_yaml(fixture("blocks.yaml"), "t.yaml");
  EXPECT_EQ(tree_text(topology.tree), "b1: n1 n2\nb2: n3 n4\nblocks: b1 b2\n");
}

TEST(SlurmYaml, ReportsProblemsWithTheirLine) {
  EXPECT_EQ(
      yaml_error("- topology: a\n  tree:\n    switches:\n      - switch: s\n        node: n1\n"),
      "t.yaml:line 5: unknown key 'node' (did you mean 'nodes'?)");
  EXPECT_EQ(yaml_error("- topology: a\n  flat: true\n"),
            "t.yaml:line 1: has neither tree nor block (a flat topology does not list switches)");
  EXPECT_EQ(yaml_error("topology: a\n"),
            "t.yaml:line 1: is not a list of topologies (Slurm's topology.yaml "
            "begins with '- topology: NAME')");
  EXPECT_EQ(yaml_error("- topology: [\n"),
            "t.yaml:line 2, column 1: not YAML: end of sequence flow not found");
  EXPECT_EQ(
      yaml_error("- topology: a\n  tree: {switches: [{switch: s, nodes: n[}]}\n").substr(0, 8),
      "t.yaml:l");
}

TEST(SlurmYaml, RefusesNamesThatNoHostlistGivesBack) {
  EXPECT_EQ(
      yaml_error("- topology: a\n  tree:\n    switches:\n      - {switch: \"b1\\v\", nodes: n1}\n"),
      "t.yaml:line 4: a switch's name is empty or has a blank or one of []=#,\"' in it "
      "(letters, digits, '-', '_' and '.', such as leaf-12)");
}

TEST(SlurmExport, ReadsBackToTheSameTree) {
  const SwitchTree tree = read_slurm_conf(fixture("three_levels.conf"), "t").tree;
  EXPECT_EQ(write_slurm_conf(tree), R"(SwitchName=core Switches=spine[0-1]
SwitchName=spine0 Switches=leaf[0-1]
SwitchName=spine1 Switches=leaf2
SwitchName=leaf0 Nodes=gpu[01-02]
SwitchName=leaf1 Nodes=gpu[03-04]
SwitchName=leaf2 Nodes=gpu[05,07]
)");
  EXPECT_EQ(tree_text(read_slurm_conf(write_slurm_conf(tree), "t").tree), tree_text(tree));
  EXPECT_EQ(tree_text(read_slurm_yaml(write_slurm_yaml(tree, "x"), "t").tree), tree_text(tree));
  EXPECT_EQ(write_slurm_yaml({{{.name = "s", .hosts = {"n1", "n2"}}}}, "x"), R"(- topology: x
  cluster_default: true
  tree:
    switches:
      - switch: s
        nodes: n[1-2]
)");
}

ClusterSpec small_cluster(int nodes, FabricSpec fabric) {
  ClusterSpec cluster;
  cluster.name = "small";
  NodeSpec node = read_node("dgx_h100");
  cluster.node_specs = {node};
  cluster.node_counts = {nodes};
  cluster.nodes = nodes;
  cluster.fabric = std::move(fabric);
  return cluster;
}

// Eight nodes, two a unit, two units a pod: the eight rails' leaves of a unit are one switch for
// Slurm.
TEST(SlurmExport, GroupsTheNodesOfARailFabricByUnitAndPod) {
  FabricSpec fabric{.kind = FabricKind::rail_clos};
  fabric.nodes_per_unit = 2;
  fabric.units_per_pod = 2;
  const SwitchTree tree = tree_of_cluster(build_cluster(small_cluster(8, fabric)));
  EXPECT_EQ(write_slurm_conf(tree), R"(SwitchName=leaf0 Nodes=node[0-1]
SwitchName=leaf1 Nodes=node[2-3]
SwitchName=leaf2 Nodes=node[4-5]
SwitchName=leaf3 Nodes=node[6-7]
SwitchName=spine0 Switches=leaf[0-1]
SwitchName=spine1 Switches=leaf[2-3]
SwitchName=core0 Switches=spine[0-1]
)");
}

TEST(SlurmExport, LeavesOutLevelsThatGroupNothing) {
  EXPECT_EQ(write_slurm_conf(tree_of_cluster(build_cluster(small_cluster(3, {})))),
            "SwitchName=leaf0 Nodes=node[0-2]\n");
}

}  // namespace
}  // namespace railyard::topology
