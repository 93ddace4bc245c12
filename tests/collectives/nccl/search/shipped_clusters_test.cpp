#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/nccl/graph/connect.hpp"
#include "collectives/nccl/graph/names.hpp"
#include "collectives/nccl/search/search.hpp"

// The clusters of configs/, searched as they are shipped: those of which NCCL's own result is known
// have it.
namespace railyard::collectives::nccl {
namespace {

Communicator shipped(const std::string& name, int nodes) {
  const topology::Cluster cluster = topology::build_cluster(topology::read_cluster(name, nodes));
  return make_communicator(cluster, Group::first(cluster, cluster.rank_count()));
}

std::string shape(const Communicator& found, GraphId id) {
  const std::optional<Graph>& graph = found.graph(id);
  if (!graph) return "-";
  return fmt::format("{}x{}/{}", graph->channels, graph->bandwidth_intra, graph->bandwidth_inter);
}

struct Row {
  std::string cluster;
  int nodes;
  std::string ring, tree, nvls;
};

TEST(NcclShippedClusters, HaveTheGraphsThatNcclFindsOnSuchNodes) {
  // NCCL 2.30.7 on synthetic nodes of these kinds.
  const std::vector<Row> rows{
      {"dgx1_v100_100g", 1, "6x20/20", "6x20/20", "-"},
      {"dgx1_v100_100g", 2, "4x12/12", "4x20/12", "-"},
      {"dgx_a100_hdr200", 1, "12x20/20", "12x20/20", "-"},
      {"dgx_a100_hdr200", 4, "8x24/24", "8x30/24", "-"},
      {"clos_baidu_roce", 2, "8x24/24", "8x30/24", "-"},
      {"dgx_h100_ndr400", 1, "12x30/30", "12x30/30", "8x40/60"},
      {"dgx_h100_ndr400", 4, "8x48/48", "8x48/48", "8x40/48"},
      {"hgx_h200_roce400", 2, "8x48/48", "8x48/48", "8x40/48"},
      {"clos_rail_h100", 16, "8x48/48", "8x48/48", "8x40/48"},
      {"dual_plane_h800", 2, "8x22/22", "8x22/22", "8x17.5/40"},
      {"dgx_b200_ndr400", 1, "16x45/45", "16x45/45", "8x80/90"},
      {"dgx_b200_ndr400", 2, "8x48/48", "8x96/48", "8x48/48"},
      {"pcie8_gen4", 1, "1x10/10", "1x10/10", "-"},
  };
  for (const Row& row : rows) {
    const Communicator found = shipped(row.cluster, row.nodes);
    const std::string where = fmt::format("{}, {} nodes", row.cluster, row.nodes);
    EXPECT_EQ(shape(found, GraphId::ring), row.ring) << where;
    EXPECT_EQ(shape(found, GraphId::tree), row.tree) << where;
    EXPECT_EQ(shape(found, GraphId::nvls), row.nvls) << where;
  }
}

TEST(NcclShippedClusters, TheNvlinkDomainOfAnNvl72IsOneNode) {
  const Communicator found = shipped("gb200_nvl72", 1);
  EXPECT_EQ(found.nodes, 1);
  EXPECT_EQ(found.ranks, 72);
  EXPECT_EQ(found.cpu_vendor, CpuVendor::arm);
  // 18 x 40.1 = 721.8 GB/s hold 8 channels of 90; doubled at half the speed.
  EXPECT_EQ(shape(found, GraphId::ring), "16x45/45");
  // At most 32 heads.
  EXPECT_EQ(found.graph(GraphId::nvls)->channels, 32);
}

TEST(NcclShippedClusters, EachRingVisitsAllRanksOnce) {
  for (const std::string name : {"dgx1_v100_100g", "dgx_a100_hdr200", "dgx_h100_ndr400",
                                 "dgx_b200_ndr400", "pcie8_gen4", "gb200_nvl72"}) {
    const Communicator found = shipped(name, 3);
    for (int channel = 0; channel < found.channels.collective; ++channel) {
      const std::vector<int> ring = connect_ring(found, channel);
      std::vector<bool> seen(static_cast<std::size_t>(found.ranks));
      for (const int rank : ring) seen[static_cast<std::size_t>(rank)] = true;
      EXPECT_EQ(ring.size(), seen.size()) << name;
      EXPECT_EQ(std::ranges::count(seen, false), 0) << name;
    }
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
