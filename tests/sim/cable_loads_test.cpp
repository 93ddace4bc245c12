#include "sim/cable_loads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/topology/small_fabric.hpp"
#include "topology/picture/fabric_outline.hpp"

namespace railyard::sim {
namespace {

using namespace topology::testing;

// Four nodes under two leaves: every cable is drawn. Busy for 5 and 2 of 10 us.
TEST(CableLoads, GiveEachCableItsOwnLoadAndListIdleOnes) {
  const topology::Cluster cluster = small_cluster(leaf_spine(2), 4, 1);
  const auto up = topology::picture::find_link(cluster, "pod0/leaf0 -> pod0/spine0");
  const auto down = topology::picture::find_link(cluster, "pod0/spine0 -> pod0/leaf0");
  ASSERT_FALSE(up.is_none() || down.is_none());
  std::vector<collectives::LinkLoad> loads{{up, 0, Time::microseconds(5)},
                                           {down, 0, Time::microseconds(2)}};
  std::ranges::sort(loads, {}, &collectives::LinkLoad::link);
  const std::vector<CableLoad> cables = cable_loads(cluster, loads, Time::microseconds(10));
  std::set<std::pair<DeviceId, DeviceId>> ends;  // parallel cables are one
  for (const topology::Link& link : cluster.links())
    if (link.kind == topology::LinkKind::port || link.kind == topology::LinkKind::fabric)
      ends.insert(std::minmax(link.from, link.to));
  EXPECT_EQ(cables.size(), ends.size());
  for (const CableLoad& one : cables) {
    const bool is_busy = one.cable == "pod0/leaf0 -- pod0/spine0";
    EXPECT_DOUBLE_EQ(one.up, is_busy ? 0.5 : 0) << one.cable;
    EXPECT_DOUBLE_EQ(one.down, is_busy ? 0.2 : 0) << one.cable;
  }
  EXPECT_EQ(std::ranges::count(cables, "pod0/leaf0 -- pod0/spine0", &CableLoad::cable), 1);
}

}  // namespace
}  // namespace railyard::sim
