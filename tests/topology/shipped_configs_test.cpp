#include <gtest/gtest.h>

#include "core/config_path.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster.hpp"

namespace railyard::topology {
namespace {

class ShippedCluster : public testing::TestWithParam<std::string> {};

TEST_P(ShippedCluster, ReadsAndBuilds) {
  const Cluster cluster = build_cluster(read_cluster(GetParam()));
  EXPECT_EQ(cluster.rank_count(),
            cluster.node_count() * static_cast<std::size_t>(cluster.shape(NodeId(0)).gpu_count()));
  EXPECT_GT(cluster.link_count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedCluster, testing::ValuesIn(core::config_names("clusters")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace railyard::topology
