#include "apps/output/link_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/topology/small_fabric.hpp"
#include "topology/picture/fabric_outline.hpp"

namespace railyard::apps {
namespace {

using namespace topology::testing;

// Four nodes under two leaves: every cable is drawn. Busy for 5 and 2 of 10 us.
TEST(CableRows, GiveEachCableItsOwnLoadAndListIdleOnes) {
  const topology::Cluster cluster = small_cluster(leaf_spine(2), 4, 1);
  const auto up = topology::picture::find_link(cluster, "pod0/leaf0 -> pod0/spine0");
  const auto down = topology::picture::find_link(cluster, "pod0/spine0 -> pod0/leaf0");
  ASSERT_FALSE(up.is_none() || down.is_none());
  collectives::Run run;
  run.link_loads = {{up, 0, Time::microseconds(5)}, {down, 0, Time::microseconds(2)}};
  std::ranges::sort(run.link_loads, {}, &collectives::LinkLoad::link);
  const std::vector<CableRow> rows = cable_rows(cluster, run, 3, Time::microseconds(10));
  std::set<std::pair<DeviceId, DeviceId>> ends;  // parallel cables are one row
  for (const topology::Link& link : cluster.links())
    if (link.kind == topology::LinkKind::port || link.kind == topology::LinkKind::fabric)
      ends.insert(std::minmax(link.from, link.to));
  EXPECT_EQ(rows.size(), ends.size());
  for (const CableRow& row : rows) {
    const bool is_busy = row.cable == "pod0/leaf0 -- pod0/spine0";
    EXPECT_EQ(row.row, 3);
    EXPECT_DOUBLE_EQ(row.up, is_busy ? 0.5 : 0) << row.cable;
    EXPECT_DOUBLE_EQ(row.down, is_busy ? 0.2 : 0) << row.cable;
  }
  EXPECT_EQ(std::ranges::count(rows, "pod0/leaf0 -- pod0/spine0", &CableRow::cable), 1);
}

}  // namespace
}  // namespace railyard::apps
