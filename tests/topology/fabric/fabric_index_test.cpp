#include "topology/fabric/fabric_index.hpp"

#include <gtest/gtest.h>

#include "tests/topology/small_fabric.hpp"

namespace railyard::topology {
namespace {

using namespace testing;  // NOLINT: small_fabric.hpp

SwitchId find(const Cluster& cluster, const FabricIndex& index, std::string_view name) {
  return index.find(device(cluster, name));
}

TEST(FabricIndex, GeneratedFabricsAreRegular) {
  for (const FabricSpec& spec :
       {fabric_of(FabricKind::single_switch), leaf_spine(2), clos3(2, 2), fat_tree(4),
        rail_clos(2, 2), fabric_of(FabricKind::rail_only), dual_plane(2, 2)}) {
    EXPECT_TRUE(FabricIndex(small_cluster(spec, 8, 2)).is_regular()) << static_cast<int>(spec.kind);
  }
}

TEST(FabricIndex, CablesBetweenLeavesAreNoLayers) {
  const FabricIndex index(small_cluster(triangle(), 4, 1));
  EXPECT_FALSE(index.is_layered());
  EXPECT_FALSE(index.is_regular());
}

// Two pods: the leaves of a pod and its spines are a class; all are one component.
TEST(FabricIndex, ClassesArePods) {
  const Cluster cluster = small_cluster(rail_clos(2, 2), 8, 2);
  const FabricIndex index(cluster);
  EXPECT_EQ(index.class_count(), 2U);
  const auto class_of = [&](std::string_view name) {
    return index.class_of(find(cluster, index, name));
  };
  EXPECT_EQ(class_of("pod0/leaf0"), class_of("pod0/leaf3"));
  EXPECT_EQ(class_of("pod0/leaf0"), class_of("pod0/spine1"));
  EXPECT_NE(class_of("pod0/leaf0"), class_of("pod1/leaf0"));
  EXPECT_EQ(class_of("core0"), FabricIndex::kNoClass);
  EXPECT_EQ(index.component_of(find(cluster, index, "pod0/leaf0")),
            index.component_of(find(cluster, index, "pod1/spine1")));
}

TEST(FabricIndex, PlanesAreComponents) {
  const Cluster cluster = small_cluster(dual_plane(2, 2), 8, 1);
  const FabricIndex index(cluster);
  const auto ports = index.ports(NodeId(3), 0);
  ASSERT_EQ(ports.size(), 2U);
  EXPECT_NE(index.component_of(ports[0].leaf), index.component_of(ports[1].leaf));
  // Node 3 is the second of its unit, whose leaf is the second of its plane; 2 ports a leaf.
  for (const NicPort& port : ports) EXPECT_EQ(index.ordinal(port), 1U * 2 + 1);
}

// Leaf 0 keeps its cable to one spine of two: its pod's leaves are no longer alike.
TEST(FabricIndex, AMissingCableIsNotRegular) {
  FabricSpec fabric = fabric_of(FabricKind::explicit_list);
  fabric.switches = {{"l0", 1}, {"l1", 1}, {"s0", 2}, {"s1", 2}};
  const auto cable = [&](std::string a, std::string b) {
    fabric.cables.push_back({std::move(a), std::move(b), Bandwidth::gigabits_per_second(400),
                             Time::nanoseconds(100), 1});
  };
  cable("l0", "s0");
  cable("l1", "s0");
  cable("l1", "s1");
  cable("node0/nic0", "l0");
  cable("node1/nic0", "l1");
  const Cluster cluster = small_cluster(fabric, 2, 1);
  const FabricIndex index(cluster);
  EXPECT_TRUE(index.is_layered());
  EXPECT_FALSE(index.is_regular());
}

TEST(FabricIndex, DownCablesAreFoundByPeerAndClass) {
  const Cluster cluster =
      small_cluster(rail_clos(2, 2), 11, 2);  // the last pod has half its leaves
  const FabricIndex index(cluster);
  for (std::size_t s = 0; s < index.size(); ++s) {
    for (const FabricCable& cable : index.downs(SwitchId(s))) {
      if (index.tier(SwitchId(s)) == 2) {
        const Cables found = index.downs_to(SwitchId(s), cable.peer);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found.front().link, cable.link);
      }
      if (index.tier(SwitchId(s)) == 3) {
        const Cables found = index.downs_to_class(SwitchId(s), index.class_of(cable.peer));
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found.front().link, cable.link);
      }
    }
  }
}

}  // namespace
}  // namespace railyard::topology
