#include "topology/cluster/summary.hpp"

#include <gtest/gtest.h>

#include "tests/topology/small_cluster.hpp"

namespace railyard::topology {
namespace {

using namespace literals;

// 8 nodes of 4 NICs, units of 2, two units a pod: 2 pods of 8 leaves (2 ports each). 2:1 above the
// leaves: one uplink, one spine a pod. Spines: 8 links down, non-blocking: 8 cores.
Summary small_summary() {
  return summarise(build_cluster(small_spec(8, 4,
                                            {.kind = FabricKind::rail_clos,
                                             .nodes_per_unit = 2,
                                             .units_per_pod = 2,
                                             .leaf_oversubscription = 2})));
}

TEST(Summary, CountsDevicesAndCables) {
  const Summary summary = small_summary();
  EXPECT_EQ(summary.nodes, 8U);
  EXPECT_EQ(summary.hosts, 8U);
  EXPECT_EQ(summary.gpus, 32U);
  EXPECT_EQ(summary.nics, 32U);
  EXPECT_EQ(summary.devices[static_cast<std::size_t>(DeviceKind::leaf)], 16U);
  EXPECT_EQ(summary.devices[static_cast<std::size_t>(DeviceKind::pcie_switch)], 32U);
  EXPECT_EQ(summary.cables, 32U + 16 + 2 * 8);
}

TEST(Summary, OversubscriptionIsThatOfTheSpec) {
  const Summary summary = small_summary();
  ASSERT_EQ(summary.tiers.size(), 3U);
  EXPECT_EQ(summary.tiers[0].down, 400_Gbps * 32);
  EXPECT_EQ(summary.tiers[0].up, 400_Gbps * 16);
  EXPECT_EQ(summary.tiers[0].oversubscription(), 2.0);
  EXPECT_EQ(summary.tiers[0].most_ports, 3);
  EXPECT_EQ(summary.tiers[1].oversubscription(), 1.0);
  EXPECT_FALSE(summary.tiers[2].oversubscription());
}

// Same rail: the other node of the unit is one switch away, other units three (leaf, spine, leaf),
// the other pod five. Cross rail: three within the pod, five outside.
TEST(Summary, HopsAreSwitchesOnTheShortestWay) {
  const Summary summary = small_summary();
  EXPECT_EQ(summary.same_node_links, 2);  // GPU, NVSwitch, GPU
  ASSERT_TRUE(summary.same_rail && summary.cross_rail);
  EXPECT_EQ(summary.same_rail->nearest, 1);
  EXPECT_EQ(summary.same_rail->farthest, 5);
  EXPECT_EQ(summary.cross_rail->nearest, 3);
  EXPECT_EQ(summary.cross_rail->farthest, 5);
}

TEST(Summary, RailOnlyHasNoWayAcrossRailsInTheFabric) {
  const Summary summary =
      summarise(build_cluster(small_spec(3, 2, {.kind = FabricKind::rail_only})));
  EXPECT_EQ(summary.same_rail->farthest, 1);
  EXPECT_FALSE(summary.cross_rail);
}

TEST(Summary, TextIsATree) {
  EXPECT_EQ(to_text(small_summary()),
            "small: 8 nodes, 32 GPUs, 32 NICs\n"
            "├─ 8 x small: 4 x H100, 4 NICs of 400 Gb/s\n"
            "│  ├─ GPU to GPU: NVL, at least 360 GB/s\n"
            "│  └─ GPU to NIC: PIX\n"
            "├─ rail_clos fabric, 64 cables\n"
            "│  ├─ leaf: 16 switches with up to 3 ports in use each; the tier has 12800 Gb/s down, "
            "6400 Gb/s up, "
            "oversubscription 2\n"
            "│  ├─ spine: 2 switches with up to 16 ports in use each; the tier has 6400 Gb/s down, "
            "6400 Gb/s up, "
            "oversubscription 1\n"
            "│  └─ core: 8 switches with up to 2 ports in use each; the tier has 6400 Gb/s down\n"
            "└─ path length between two GPUs\n"
            "   ├─ same node: 2 links\n"
            "   ├─ same rail: 1 to 5 switches\n"
            "   └─ cross rail: 3 to 5 switches\n");
}

}  // namespace
}  // namespace railyard::topology
