#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/topology/small_cluster.hpp"

namespace railyard::topology {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;

Cluster build(int nodes, int nics, const FabricSpec& fabric) {
  return build_cluster(small_spec(nodes, nics, fabric));
}

Diagnostic refusal(int nodes, int nics, const FabricSpec& fabric) {
  try {
    static_cast<void>(build(nodes, nics, fabric));
  } catch (const InputError& error) {
    return error.diagnostics().front();
  }
  ADD_FAILURE() << "was built";
  return {};
}

TEST(SingleSwitch, EveryNicIsOnOneLeaf) {
  const Cluster cluster = build(3, 2, {.kind = FabricKind::single_switch});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 1U);
  EXPECT_EQ(count(cluster, LinkKind::port), 2U * 6);
  const DeviceId leaf = cluster.find_device("pod0/leaf0").value();
  EXPECT_EQ(cluster.out_links(leaf).size(), 6U);
  EXPECT_EQ(cluster.link(cluster.out_links(leaf)[0]).bandwidth, 400_Gbps);
}

// A port is crossed with port_latency, a switch with switch_latency on the link that leaves it.
TEST(SingleSwitch, LatencyOfTheSwitchIsOnTheLinksThatLeaveIt) {
  const Cluster cluster = build(
      2, 1, {.kind = FabricKind::single_switch, .port_latency = 300_ns, .switch_latency = 200_ns});
  const DeviceId leaf = cluster.find_device("pod0/leaf0").value();
  const Link& down = cluster.link(cluster.out_links(leaf)[0]);
  EXPECT_EQ(down.latency, 500_ns);
  EXPECT_EQ(cluster.link(down.reverse).latency, 300_ns);
}

// 8 nodes of 2 NICs, 4 a unit: 2 leaves of 8 ports, so 8 spines of one 400 Gb/s link to each leaf.
TEST(LeafSpine, NonBlockingHasAsManyUplinksAsPorts) {
  const Cluster cluster = build(8, 2, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 4});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 2U);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 8U);
  EXPECT_EQ(count(cluster, LinkKind::port), 2U * 16);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 2U * 2 * 8);
  // node 3 is the last of unit 0, node 4 the first of unit 1
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(3), 1), LinkKind::port),
              ElementsAre("pod0/leaf0"));
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(4), 0), LinkKind::port),
              ElementsAre("pod0/leaf1"));
}

// 8 ports of 400 down at 4:1 are 800 Gb/s up: two links.
TEST(LeafSpine, OversubscriptionTakesLinksAway) {
  const Cluster cluster = build(
      8, 2, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 4, .leaf_oversubscription = 4});
  EXPECT_EQ(count(cluster, DeviceKind::spine), 2U);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 2U * 2 * 2);
}

// 8 x 400 up over 2 spines: four parallel links to each, next to each other in out_links.
TEST(LeafSpine, FewerSpinesGetParallelLinks) {
  const Cluster cluster =
      build(8, 2, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 4, .spines_per_pod = 2});
  EXPECT_THAT(neighbours(cluster, cluster.find_device("pod0/leaf1").value(), LinkKind::fabric),
              ElementsAre("pod0/spine0", "pod0/spine0", "pod0/spine0", "pod0/spine0", "pod0/spine1",
                          "pod0/spine1", "pod0/spine1", "pod0/spine1"));
}

// 3200 Gb/s at 3:1 are 1066.67 up: no whole number of 400, so three links (one spine each) of a
// third of that.
TEST(LeafSpine, UnevenOversubscriptionSetsTheBandwidthOfTheUplinks) {
  const Cluster cluster = build(
      8, 2, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 4, .leaf_oversubscription = 3});
  EXPECT_EQ(count(cluster, DeviceKind::spine), 3U);
  const DeviceId spine = cluster.find_device("pod0/spine0").value();
  EXPECT_EQ(cluster.link(cluster.out_links(spine)[0]).bandwidth,
            Bandwidth::bits_per_second(3'200'000'000'000 / 9 + 1));  // 355.5556 Gb/s, nearest bit
}

TEST(LeafSpine, GivenUplinksThatDoNotFitAreRefusedWithThoseThatDo) {
  const Diagnostic ratio = refusal(8, 2,
                                   {.kind = FabricKind::leaf_spine,
                                    .fabric_bandwidth = 400_Gbps,
                                    .nodes_per_unit = 4,
                                    .leaf_oversubscription = 3});
  EXPECT_EQ(ratio.file, "small.json");
  EXPECT_EQ(ratio.pointer, "/fabric/leaf_oversubscription");
  EXPECT_EQ(ratio.hint, "2 links have oversubscription 4, 3 links 2.66667");

  const Diagnostic spines = refusal(8, 2,
                                    {.kind = FabricKind::leaf_spine,
                                     .fabric_bandwidth = 400_Gbps,
                                     .nodes_per_unit = 4,
                                     .spines_per_pod = 3});
  EXPECT_EQ(spines.pointer, "/fabric/spines_per_pod");
  EXPECT_EQ(spines.hint, "use 2 or 4");  // divisors of 8
}

// Units of 2 nodes with 2 NICs: leaves of 4 ports and 4 uplinks. Pods of 2 units: 4 spines with 2
// links down, so 2 up: groups of 2 cores. 8 nodes: 4 units, 2 pods.
TEST(Clos3, PodsOfUnitsMeetInGroupsOfCores) {
  const Cluster cluster =
      build(8, 2, {.kind = FabricKind::clos3, .nodes_per_unit = 2, .units_per_pod = 2});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 4U);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 2U * 4);
  EXPECT_EQ(count(cluster, DeviceKind::core), 4U * 2);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 2U * (4 * 4 + 8 * 2));
  // spine i of both pods joins the cores of group i
  for (const std::string pod : {"pod0", "pod1"}) {
    const DeviceId spine = cluster.find_device(pod + "/spine3").value();
    std::vector<std::string> up = neighbours(cluster, spine, LinkKind::fabric);
    EXPECT_THAT(up, ElementsAre(pod + "/leaf0", pod + "/leaf1", "core6", "core7"));
  }
}

TEST(Clos3, CoresThatDoNotSpreadOverTheSpinesAreRefused) {
  const Diagnostic found = refusal(
      8, 2, {.kind = FabricKind::clos3, .nodes_per_unit = 2, .units_per_pod = 2, .cores = 6});
  EXPECT_EQ(found.pointer, "/fabric/cores");
  EXPECT_EQ(found.hint, "use 4 or 8");
}

// k = 4: 4 pods of 2 leaves and 2 spines, 4 cores, 16 ports.
TEST(FatTree, FullOneHasFiveFourthsKSquaredSwitches) {
  const Cluster cluster = build(16, 1, {.kind = FabricKind::fat_tree, .k = 4});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 8U);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 8U);
  EXPECT_EQ(count(cluster, DeviceKind::core), 4U);
  EXPECT_EQ(count(cluster, LinkKind::port), 2U * 16);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 2U * (16 + 16));
  for (std::size_t i = 0; i < cluster.device_count(); ++i)
    if (is_fabric_switch(cluster.device(DeviceId(i)).kind)) {
      EXPECT_EQ(cluster.out_links(DeviceId(i)).size(), 4U) << cluster.name(DeviceId(i));
    }
}

// 17 NICs: k = 4 has 16 ports, k = 6 has 54. Nine leaves are wanted where there are eight.
TEST(FatTree, TooManyNicsAreRefusedWithTheKThatFits) {
  const Diagnostic found = refusal(17, 1, {.kind = FabricKind::fat_tree, .k = 4});
  EXPECT_EQ(found.pointer, "/fabric/k");
  EXPECT_THAT(found.message, HasSubstr("8 leaves, not 9"));
  EXPECT_THAT(found.hint, HasSubstr("k = 6"));
}

// With units of two nodes, leaf 0 has NIC 0 of both and leaf 1 NIC 1 of both.
TEST(FatTree, UnitsGiveEachRailALeaf) {
  const Cluster cluster = build(4, 2, {.kind = FabricKind::fat_tree, .nodes_per_unit = 2, .k = 4});
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(1), 1), LinkKind::port),
              ElementsAre("pod0/leaf1"));
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(2), 0), LinkKind::port),
              ElementsAre("pod1/leaf0"));
  EXPECT_EQ(refusal(4, 2, {.kind = FabricKind::fat_tree, .nodes_per_unit = 3, .k = 4}).hint,
            "use at most 2");
}

// Units of 2 nodes, 4 rails: leaf = unit * 4 + rail; 2 ports and 2 uplinks each: 2 spines.
TEST(RailClos, TwoTiersJoinEveryLeafWithEverySpine) {
  const Cluster cluster =
      build(4, 4, {.kind = FabricKind::rail_clos, .nodes_per_unit = 2, .tiers = 2});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 8U);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 2U);
  EXPECT_EQ(count(cluster, DeviceKind::core), 0U);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 2U * 8 * 2);
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(0), 3), LinkKind::port),
              ElementsAre("pod0/leaf3"));
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(3), 1), LinkKind::port),
              ElementsAre("pod0/leaf5"));
}

// One unit a pod: 4 leaves of 2 uplinks, 2 spines of 4 links down and 4 up: 8 cores. Four pods.
TEST(RailClos, ThreeTiersAddCoresAbovePods) {
  const Cluster cluster =
      build(8, 4, {.kind = FabricKind::rail_clos, .nodes_per_unit = 2, .units_per_pod = 1});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 4U * 4);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 4U * 2);
  EXPECT_EQ(count(cluster, DeviceKind::core), 8U);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 2U * (16 * 2 + 8 * 4));
}

TEST(RailClos, OnePodHasNoCoresAndOneNodeIsAPartOfAUnit) {
  const Cluster cluster =
      build(1, 4, {.kind = FabricKind::rail_clos, .nodes_per_unit = 2, .units_per_pod = 1});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 4U);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 2U);  // as for a full unit
  EXPECT_EQ(count(cluster, DeviceKind::core), 0U);
}

TEST(RailOnly, HasALeafPerRailAndNothingAbove) {
  const Cluster cluster = build(6, 4, {.kind = FabricKind::rail_only});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 4U);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 0U);
  const Diagnostic found = refusal(6, 4, {.kind = FabricKind::rail_only, .nodes_per_unit = 5});
  EXPECT_EQ(found.pointer, "/fabric/nodes_per_unit");
}

// Each NIC has a port of 200 Gb/s in either plane; a plane is a rail_clos of its own: units of 2
// nodes, 2 rails: leaves of 2 x 200 down and up, 2 spines.
TEST(DualPlane, PlanesShareTheNicAndNothingElse) {
  const Cluster cluster =
      build(4, 2, {.kind = FabricKind::dual_plane, .nodes_per_unit = 2, .tiers = 2});
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 2U * 4);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 2U * 2);
  EXPECT_EQ(count(cluster, LinkKind::port), 2U * 2 * 8);
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(2), 1), LinkKind::port),
              ElementsAre("plane0/pod0/leaf3", "plane1/pod0/leaf3"));
  for (const Link& link : cluster.links()) {
    if (link.kind == LinkKind::port) {
      EXPECT_EQ(link.bandwidth, 200_Gbps);
    }
    if (link.kind == LinkKind::fabric) {
      EXPECT_EQ(cluster.device(link.from).plane, cluster.device(link.to).plane);
    }
  }
}

FabricSpec two_switches() {
  return {
      .kind = FabricKind::explicit_list,
      .port_latency = 300_ns,
      .switch_latency = 200_ns,
      .switches = {{.name = "left", .tier = 1}, {.name = "right", .tier = 1}},
      .cables = {{.a = "node0/nic0", .b = "left", .bandwidth = 400_Gbps},
                 {.a = "right", .b = "node1/nic0", .bandwidth = 200_Gbps},
                 {.a = "left", .b = "right", .bandwidth = 100_Gbps, .latency = 50_ns, .count = 3}}};
}

TEST(Explicit, HasTheListedSwitchesAndCables) {
  const Cluster cluster = build(2, 1, two_switches());
  const DeviceId left = cluster.find_device("left").value();
  EXPECT_THAT(neighbours(cluster, left, LinkKind::fabric), ElementsAre("right", "right", "right"));
  EXPECT_THAT(neighbours(cluster, cluster.nic(NodeId(1), 0), LinkKind::port), ElementsAre("right"));
  const Link& between = cluster.link(cluster.out_links(left).back());
  EXPECT_EQ(between.latency, 250_ns);
  EXPECT_EQ(between.bandwidth, 100_Gbps);
}

TEST(Explicit, EveryWrongCableIsNamed) {
  ClusterSpec spec = small_spec(2, 1, two_switches());
  spec.fabric.cables[0].b = "lefd";
  spec.fabric.cables[1].b = "node2/nic0";
  spec.fabric.cables[2].b = "left";
  try {
    static_cast<void>(build_cluster(spec));
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 3U);
    EXPECT_EQ(error.diagnostics()[0].pointer, "/fabric/cables/0/b");
    EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'left'?");
    EXPECT_EQ(error.diagnostics()[1].pointer, "/fabric/cables/1/b");
    EXPECT_EQ(error.diagnostics()[2].pointer, "/fabric/cables/2");
  }
}

TEST(BuildCluster, ParametersOfOtherKindsAreRefusedWithTheKindsThatTakeThem) {
  const Diagnostic found =
      refusal(2, 1, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 1, .k = 4});
  EXPECT_EQ(found.pointer, "/fabric/k");
  EXPECT_EQ(found.hint, "fabrics that have it: fat_tree");
}

TEST(BuildCluster, SeveralNodesNeedNics) {
  ClusterSpec spec = small_spec(2, 1, {.kind = FabricKind::single_switch});
  for (PcieSpec& below : spec.node_specs[0].cpus[0].pcie) below.children.pop_back();
  EXPECT_THROW(static_cast<void>(build_cluster(spec)), InputError);
  spec.node_counts = {1};
  EXPECT_EQ(count(build_cluster(spec), DeviceKind::leaf), 0U);
}

}  // namespace
}  // namespace railyard::topology
