#include "placement/mapping/background.hpp"

#include <gtest/gtest.h>

#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using namespace topology::testing;

// Nodes of 50 GB/s NICs, two to a leaf. A ring of 10 GB/s over GPU 0 of nodes 0 and 1 leaves 40 of
// their ports; of 40 GB/s it leaves the half that a fair share is. Uplinks stay as they were.
TEST(Background, TakesWhatOthersSendButNeverMoreThanHalf) {
  const topology::Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  const auto left = [&](Bytes each) {
    RankGroups groups;
    const std::vector<JobRank> ranks{JobRank(0), JobRank(1)};
    groups.add(ranks);
    const Traffic traffic{TrafficPattern::ring, groups, each};
    return available_bandwidth(tiers, {&traffic, 1}, true);
  };
  EXPECT_DOUBLE_EQ(left(10_GB)[tiers.port_up(0)], 40e9);
  EXPECT_DOUBLE_EQ(left(40_GB)[tiers.port_up(1)], 25e9);
  EXPECT_DOUBLE_EQ(left(40_GB)[tiers.port_up(2)], 50e9);
  EXPECT_DOUBLE_EQ(left(40_GB)[tiers.leaf_up(0)], tiers.bandwidth()[tiers.leaf_up(0)]);
}

}  // namespace
}  // namespace railyard::placement
