#include "topology/cluster/cluster.hpp"

#include <gtest/gtest.h>

#include "tests/topology/small_cluster.hpp"

namespace railyard::topology {
namespace {

using namespace literals;

Cluster two_by_four() {
  return build_cluster(
      small_spec(4, 2, {.kind = FabricKind::rail_clos, .nodes_per_unit = 2, .units_per_pod = 1}));
}

TEST(Cluster, EveryDeviceIsFoundByItsName) {
  const Cluster cluster = two_by_four();
  for (std::size_t i = 0; i < cluster.device_count(); ++i)
    EXPECT_EQ(cluster.find_device(cluster.name(DeviceId(i))), DeviceId(i));
  EXPECT_EQ(cluster.name(cluster.gpu(Rank(3))), "node1/gpu1");
  EXPECT_EQ(cluster.name(cluster.nvswitch(NodeId(2))), "node2/nvswitch");
  EXPECT_FALSE(cluster.find_device("node4/gpu0"));
  EXPECT_FALSE(cluster.find_device("node0/gpu2"));
  EXPECT_FALSE(cluster.find_device(""));
}

TEST(Cluster, RanksAreGpusNodeByNode) {
  const Cluster cluster = two_by_four();
  ASSERT_EQ(cluster.rank_count(), 8U);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(cluster.rank_of(cluster.gpu(Rank(rank))), Rank(rank));
    EXPECT_EQ(cluster.node_of(Rank(rank)), NodeId(rank / 2));
    EXPECT_EQ(cluster.local_gpu(Rank(rank)), static_cast<int>(rank % 2));
    EXPECT_EQ(cluster.rail_of(Rank(rank)), static_cast<int>(rank % 2));
  }
}

TEST(Cluster, LinksNameTheirReverseAndLeaveTheirDevice) {
  const Cluster cluster = two_by_four();
  std::size_t seen = 0;
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    DeviceId last(0);
    for (const LinkId id : cluster.out_links(DeviceId(i))) {
      const Link& link = cluster.link(id);
      const Link& back = cluster.link(link.reverse);
      EXPECT_EQ(link.from, DeviceId(i));
      EXPECT_LE(last, link.to);  // ordered by where they lead
      EXPECT_EQ(back.reverse, id);
      EXPECT_EQ(back.from, link.to);
      EXPECT_EQ(back.to, link.from);
      last = link.to;
      ++seen;
    }
  }
  EXPECT_EQ(seen, cluster.link_count());
}

TEST(Cluster, NodesOfAGroupShareAShape) {
  ClusterSpec spec = small_spec(2, 1, {.kind = FabricKind::single_switch});
  spec.node_specs.push_back(small_node(4));
  spec.node_counts.push_back(3);
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(cluster.rank_count(), 2U + 3 * 4);
  EXPECT_EQ(&cluster.shape(NodeId(2)), &cluster.shape(NodeId(4)));
  EXPECT_EQ(cluster.local_gpu(Rank(2)), 0);
  EXPECT_EQ(cluster.node_of(Rank(5)), NodeId(2));
  EXPECT_EQ(cluster.name(cluster.nic(NodeId(4), 3)), "node4/nic3");
}

// 16,384 DGX H100: 8 GPUs, NVSwitch, 8 PCIe switches, 2 CPUs, 8 NICs = 27 devices and 2 x (8
// NVLinks
// + 24 PCIe + 1 UPI) = 66 links a node. 256 units of 64 nodes and 8 leaves; 32 pods of 8 units, 64
// spines each; 1,024 cores. Ports: 131,072; leaf to spine 2048 x 64; spine to core 2048 x 64 links.
TEST(Cluster, Holds131072Gpus) {
  const Cluster cluster = build_cluster(read_cluster("clos_rail_h100", 16384));
  EXPECT_EQ(cluster.rank_count(), 131072U);
  EXPECT_EQ(count(cluster, DeviceKind::leaf), 2048U);
  EXPECT_EQ(count(cluster, DeviceKind::spine), 2048U);
  EXPECT_EQ(count(cluster, DeviceKind::core), 1024U);
  EXPECT_EQ(cluster.device_count(), 16384U * 27 + 2048 + 2048 + 1024);
  EXPECT_EQ(cluster.link_count(), 16384U * 66 + 2U * (131072 + 131072 + 131072));
  EXPECT_EQ(cluster.name(DeviceId(cluster.device_count() - 1)), "core1023");
}

}  // namespace
}  // namespace railyard::topology
