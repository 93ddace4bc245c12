#include "sim/link_report.hpp"

#include <gtest/gtest.h>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;

TEST(LinkReport, TiersGoUpToTheCoreAndBackDown) {
  const auto cluster = testing::cluster(4, 1, leaf_spine(2));
  std::vector<std::string> tiers;
  for (const auto& load : tier_loads(cluster, {}, 1_ms))
    tiers.push_back(std::string(load.tier) + " " + std::string(load.direction));
  EXPECT_EQ(tiers, (std::vector<std::string>{"nvlink ", "pcie ", "port up", "leaf-spine up",
                                             "leaf-spine down", "port down"}));
}

TEST(LinkReport, LoadsCountLinksAndTheBusiest) {
  // 50 MB from node 0 to node 2 (1 ms), 25 MB from node 1 to node 3: 4 NICs, two of which send.
  const auto cluster = testing::cluster(4, 1, leaf_spine(2));
  const std::vector<collectives::LinkLoad> loads{
      {link(cluster, "node0/nic0 -> pod0/leaf0"), 50e6, 1_ms},
      {link(cluster, "node1/nic0 -> pod0/leaf0"), 25e6, 500_us},
  };
  for (const auto& load : tier_loads(cluster, loads, 2_ms)) {
    if (load.tier != "port" || load.direction != "up") {
      EXPECT_EQ(load.used, 0);
      continue;
    }
    EXPECT_EQ(load.links, 4);
    EXPECT_EQ(load.used, 2);
    EXPECT_DOUBLE_EQ(load.max_utilisation, 0.5);
    EXPECT_DOUBLE_EQ(load.mean_utilisation, (0.5 + 0.25) / 4);
    EXPECT_EQ(load.busiest, loads[0].link);
  }
}

}  // namespace
}  // namespace railyard::sim
