#include "sim/link_report.hpp"

#include <gtest/gtest.h>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;

TEST(LinkReport, TiersFollowAWayOutAndIn) {
  const auto cluster = testing::cluster(4, 1, leaf_spine(2));
  std::vector<std::string> tiers;
  for (const auto& row : tier_loads(cluster, {}, 1_ms)) tiers.push_back(row.tier);
  EXPECT_EQ(tiers, (std::vector<std::string>{"nvlink", "pcie", "nic -> leaf", "leaf -> spine",
                                             "spine -> leaf", "leaf -> nic"}));
}

TEST(LinkReport, RowsCountLinksBytesAndTheBusiest) {
  // 50 MB from node 0 to node 2 (1 ms), 25 MB from node 1 to node 3: 4 NICs, two of which send.
  const auto cluster = testing::cluster(4, 1, leaf_spine(2));
  const std::vector<collectives::LinkLoad> loads{
      {link(cluster, "node0/nic0 -> pod0/leaf0"), 50e6, 1_ms},
      {link(cluster, "node1/nic0 -> pod0/leaf0"), 25e6, 500_us},
  };
  for (const auto& row : tier_loads(cluster, loads, 2_ms)) {
    if (row.tier != "nic -> leaf") {
      EXPECT_EQ(row.busy_links, 0u);
      continue;
    }
    EXPECT_EQ(row.links, 4u);
    EXPECT_EQ(row.busy_links, 2u);
    EXPECT_EQ(row.bytes, 75e6);
    EXPECT_DOUBLE_EQ(row.max_utilisation, 0.5);
    EXPECT_DOUBLE_EQ(row.mean_utilisation, (0.5 + 0.25) / 4);
    EXPECT_EQ(row.busiest, loads[0].link);
  }
}

}  // namespace
}  // namespace railyard::sim
