#include "topology/fabric/reference_values.hpp"

#include <gtest/gtest.h>

namespace railyard::topology {
namespace {

TEST(ReferenceValues, AThreeTierRailClosIsThatOfASuperPod) {
  FabricSpec fabric;
  fabric.kind = FabricKind::rail_clos;
  fabric.transport = Transport::infiniband;
  fabric.tiers = 3;
  std::vector<std::string> notes;
  set_reference_values(fabric, notes);
  EXPECT_EQ(fabric.nodes_per_unit, 32);
  EXPECT_EQ(fabric.units_per_pod, 4);
  EXPECT_EQ(fabric.switch_latency, Time::nanoseconds(200));
  EXPECT_EQ(notes.size(), 2u);
}

TEST(ReferenceValues, GivenValuesStayWithoutANote) {
  FabricSpec fabric;
  fabric.kind = FabricKind::leaf_spine;
  fabric.transport = Transport::roce;
  fabric.nodes_per_unit = 5;
  std::vector<std::string> notes;
  set_reference_values(fabric, notes);
  EXPECT_EQ(fabric.nodes_per_unit, 5);
  EXPECT_FALSE(fabric.units_per_pod);
  EXPECT_EQ(fabric.routing.policy, RoutingPolicy::ecmp);
  EXPECT_EQ(fabric.switch_latency, Time::nanoseconds(600));
  EXPECT_TRUE(notes.empty());
}

TEST(ReferenceValues, RoutingFollowsTheTransport) {
  using enum FabricKind;
  EXPECT_EQ(usual_policy(rail_clos, Transport::infiniband), RoutingPolicy::rail);
  EXPECT_EQ(usual_policy(rail_clos, Transport::roce), RoutingPolicy::ecmp);
  EXPECT_EQ(usual_policy(leaf_spine, Transport::tcp), RoutingPolicy::ecmp);
  EXPECT_EQ(usual_policy(dual_plane, Transport::roce), RoutingPolicy::rail);
  EXPECT_EQ(usual_queue_pairs(dual_plane), 2);
  EXPECT_EQ(usual_queue_pairs(clos3), 1);
}

// A file that says nothing about routing and one that was imported are routed alike.
TEST(ReferenceValues, AFileWithoutRoutingIsRoutedAsAnImportedOne) {
  FabricSpec imported;
  imported.kind = FabricKind::rail_clos;
  imported.transport = Transport::roce;
  std::vector<std::string> notes;
  set_reference_values(imported, notes);
  const ClusterSpec written = read_cluster("oci_h100", 2);
  EXPECT_EQ(written.fabric.routing.policy, imported.routing.policy);
  EXPECT_EQ(read_cluster("dual_plane_h800", 2).fabric.routing.qps, 2);
  EXPECT_EQ(read_cluster("dgx_h100_ndr400", 2).fabric.routing.policy, RoutingPolicy::rail);
}

}  // namespace
}  // namespace railyard::topology
