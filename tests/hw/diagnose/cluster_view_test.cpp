#include "hw/diagnose/cluster_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::hw {
namespace {

const std::vector<std::string> kNodes{"n1", "n2"};
const std::vector<std::string> kBuses{"1b", "43", "52", "61", "9d", "c3", "d1", "df"};

topology::Cluster two_h100_nodes() {
  return topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 2));
}

TEST(ClusterView, HasANicPerGpuAndALeafPerRail) {
  const ClusterView view = cluster_view(two_h100_nodes(), kNodes, kBuses);
  EXPECT_TRUE(view.is_known);
  ASSERT_EQ(view.groups.size(), 8U);
  for (std::size_t p = 0; p < 8; ++p) EXPECT_EQ(view.groups[p].places, PlaceSet{1} << p);
  // A rail-optimised fabric: leaf r has NIC r of both nodes.
  ASSERT_EQ(view.leaves.size(), 8U);
  for (std::size_t leaf = 0; leaf < 8; ++leaf) {
    EXPECT_EQ(view.leaves[leaf].nodes, (std::vector<bool>{true, true}));
    EXPECT_EQ(view.leaves[leaf].places, PlaceSet{1} << leaf);
  }
}

TEST(ClusterView, WithFewerPlacesThanGpusGroupsAreAssumed) {
  const std::vector<std::string> four(kBuses.begin(), kBuses.begin() + 4);
  const ClusterView view = cluster_view(two_h100_nodes(), kNodes, four);
  EXPECT_FALSE(view.is_known);
  EXPECT_EQ(view.groups.size(), assumed_groups(four).size());
  EXPECT_TRUE(view.leaves.empty());
}

TEST(ClusterView, MoreNodesOrGpusThanTheClusterHasAreAnError) {
  const auto cluster = two_h100_nodes();
  EXPECT_THROW((void)cluster_view(cluster, {"n1", "n2", "n3"}, kBuses), InputError);
  std::vector<std::string> nine = kBuses;
  nine.emplace_back("e1");
  EXPECT_THROW((void)cluster_view(cluster, kNodes, nine), InputError);
}

}  // namespace
}  // namespace railyard::hw
