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

}  // namespace
}  // namespace railyard::topology
