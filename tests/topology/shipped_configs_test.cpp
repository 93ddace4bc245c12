#include <gtest/gtest.h>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "small_cluster.hpp"
#include "topology/cluster/summary.hpp"

namespace railyard::topology {
namespace {

using namespace literals;

class ShippedCluster : public testing::TestWithParam<std::string> {};

TEST_P(ShippedCluster, ReadsAndBuilds) {
  const Cluster cluster = build_cluster(read_cluster(GetParam()));
  EXPECT_EQ(cluster.rank_count(),
            cluster.node_count() * static_cast<std::size_t>(cluster.shape(NodeId(0)).gpu_count()));
  EXPECT_FALSE(cluster.spec().source.empty());
}

TEST_P(ShippedCluster, ShrinksToTwoNodes) {
  const Summary summary = summarise(build_cluster(read_cluster(GetParam(), 2)));
  EXPECT_EQ(summary.nodes, 2U);
  EXPECT_TRUE(summary.same_rail);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedCluster, testing::ValuesIn(core::config_names("clusters")),
                         [](const auto& test) { return test.param; });

// DGX SuperPOD reference architecture: 4 scalable units of 32 nodes have 32 leaves and 16 spines,
// and 1,024 cables from leaf to spine.
TEST(ShippedClusters, FourUnitsOfDgxH100AreTheSuperPodOfTheReferenceArchitecture) {
  const Cluster cluster = build_cluster(read_cluster("dgx_h100_ndr400", 128));
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 32U);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 16U);
  EXPECT_EQ(count(cluster, LinkKind::fabric), 2U * 1024);
  EXPECT_EQ(summarise(cluster).tiers[0].most_ports, 64);  // QM9700
}

// HPN: 128 hosts a segment with 16 leaves over both planes, 15 segments a pod, 60 spines a plane,
// 15:1 to the cores. 1,921 hosts are 16 segments in 2 pods. A leaf has 128 x 200G down, 60 x 400G
// up; a spine 8 leaves x 15 segments of 400G down and 8 x 400G up: 480 cores a plane.
TEST(ShippedClusters, DualPlaneH800HasTheCountsOfHpn) {
  const Cluster cluster = build_cluster(read_cluster("dual_plane_h800", 1921));
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 2U * 16 * 8);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 2U * 2 * 60);
  EXPECT_EQ(count(cluster, DeviceKind::core), 2U * 480);
  const DeviceId leaf = cluster.find_device("plane1/pod0/leaf0").value();
  EXPECT_EQ(cluster.out_links(leaf).size(), 128U + 60);
  EXPECT_EQ(cluster.link(cluster.out_links(leaf).front()).bandwidth, 200_Gbps);
  EXPECT_EQ(cluster.link(cluster.out_links(leaf).back()).bandwidth, 400_Gbps);
}

// Llama 3 herd of models, section 3.3.1: 24,576 GPUs in 8 pods of 192 racks of 16; full bisection
// in a pod, 7:1 between pods.
TEST(ShippedClusters, Roce24kIsSevenToOneAbovePods) {
  const Summary summary = summarise(build_cluster(read_cluster("clos_roce_24k")));
  EXPECT_EQ(summary.gpus, 24576U);
  ASSERT_EQ(summary.tiers.size(), 3U);
  EXPECT_EQ(summary.tiers[0].switches, 8U * 192);
  EXPECT_EQ(summary.tiers[1].switches, 8U * 16);
  EXPECT_DOUBLE_EQ(summary.tiers[0].oversubscription().value(), 1.0);
  // 192 ports of 400 Gb/s down; 7:1 are 27.4 uplinks, so 28 of the same rate.
  EXPECT_DOUBLE_EQ(summary.tiers[1].oversubscription().value(), 192.0 / 28);
}

// A fat tree of k = 40: k*k/2 leaves and spines, k*k/4 cores, 40 ports each, 16,000 NICs.
TEST(ShippedClusters, BaiduIbIsAFullFatTreeOf40Ports) {
  const Summary summary = summarise(build_cluster(read_cluster("clos_baidu_ib")));
  EXPECT_EQ(summary.nics, 16000U);
  ASSERT_EQ(summary.tiers.size(), 3U);
  EXPECT_EQ(summary.tiers[0].switches, 800U);
  EXPECT_EQ(summary.tiers[1].switches, 800U);
  EXPECT_EQ(summary.tiers[2].switches, 400U);
  for (const TierSummary& tier : summary.tiers) EXPECT_EQ(tier.most_ports, 40);
}

// 400 nodes, 4 a unit: 100 leaves in 4 pods of up to 32; 32 spines a pod; no switch beyond 64
// ports.
TEST(ShippedClusters, BaiduRoceFits64PortSwitches) {
  const Summary summary = summarise(build_cluster(read_cluster("clos_baidu_roce")));
  EXPECT_EQ(summary.gpus, 3200U);
  EXPECT_EQ(summary.tiers[0].switches, 100U);
  EXPECT_EQ(summary.tiers[1].switches, 4U * 32);
  for (const TierSummary& tier : summary.tiers) EXPECT_LE(tier.most_ports, 64);
}

// Eight racks: 4 rails each with 18 NICs on a leaf, 18 spines.
TEST(ShippedClusters, Nvl72RacksHaveFourRails) {
  const Summary summary = summarise(build_cluster(read_cluster("gb200_nvl72")));
  EXPECT_EQ(summary.gpus, 576U);
  EXPECT_EQ(summary.hosts, 144U);
  EXPECT_EQ(summary.tiers[0].switches, 32U);
  EXPECT_EQ(summary.tiers[0].most_ports, 36);
  EXPECT_EQ(summary.tiers[1].switches, 18U);
}

}  // namespace
}  // namespace railyard::topology
