#include "collectives/nccl/search/search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/nccl/graph/connect.hpp"
#include "collectives/nccl/graph/names.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/nccl_systems.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives::nccl {
namespace {

using testing::dgx1_v100;
using testing::pcie_node;
using testing::switched_node;
using testing::SwitchedForm;

/// "8x48/48", "-" where there is no such graph.
std::string shape(const Communicator& found, GraphId id) {
  const std::optional<Graph>& graph = found.graph(id);
  if (!graph) return "-";
  return fmt::format("{}x{}/{}", graph->channels, graph->bandwidth_intra, graph->bandwidth_inter);
}

std::string counts(const Communicator& found) {
  return fmt::format("{}/{}/{}/{}", found.channels.collective, found.channels.nvls,
                     found.channels.p2p, found.channels.p2p_per_peer);
}

struct Row {
  std::string name;
  topology::NodeSpec node;
  std::vector<int> nodes;
  std::string ring, tree, nvls, channels;
};

const std::string kGen4 = "16.0 GT/s PCIe", kGen6 = "64.0 GT/s PCIe";

SwitchedForm a100() {
  return {.compute_capability = 80,
          .nvlinks = 12,
          .nic_gigabits = 200,
          .pcie = kGen4,
          .vendor = "AuthenticAMD",
          .cpu_model = 49,
          .gpus_per_switch = 2};
}
SwitchedForm b200() { return {.compute_capability = 100}; }

// What NCCL 2.30.7 computes for such nodes, by its own search on synthetic topologies.
std::vector<Row> table() {
  return {
      {"DGX A100", switched_node(a100()), {1}, "12x20/20", "12x20/20", "-", "24/0/32/32"},
      {"DGX A100", switched_node(a100()), {2, 4}, "8x24/24", "8x30/24", "-", "16/0/16/2"},
      {"DGX H100", switched_node({}), {1}, "12x30/30", "12x30/30", "8x40/60", "24/16/32/32"},
      {"DGX H100", switched_node({}), {2, 4}, "8x48/48", "8x48/48", "8x40/48", "16/16/16/4"},
      {"DGX H100", switched_node({}), {16, 32}, "8x48/48", "8x48/48", "8x40/48", "16/16/16/1"},
      {"H100, 4 NICs",
       switched_node({.nics = 4}),
       {2, 4},
       "8x24/24",
       "8x45/24",
       "4x48/48",
       "16/16/16/4"},
      {"H100, 200G",
       switched_node({.nic_gigabits = 200}),
       {2, 4},
       "8x24/24",
       "8x48/24",
       "8x24/24",
       "16/16/16/2"},
      {"H800", switched_node({.nvlinks = 8}), {1}, "8x20/20", "8x20/20", "8x15/30", "16/16/16/16"},
      {"H800",
       switched_node({.nvlinks = 8}),
       {2, 4},
       "8x22/22",
       "8x22/22",
       "8x17.5/40",
       "16/16/16/4"},
      {"H100, 4 GPUs",
       switched_node({.gpus = 4, .nics = 4}),
       {2, 4},
       "8x24/24",
       "8x48/24",
       "4x48/48",
       "16/16/16/4"},
      {"H100, 1 GPU",
       switched_node({.gpus = 1, .nics = 1}),
       {2, 4, 8},
       "2x24/24",
       "2x48/24",
       "-",
       "4/0/4/4"},
      {"B200", switched_node(b200()), {1}, "16x45/45", "16x45/45", "8x80/90", "32/24/32/32"},
      {"B200", switched_node(b200()), {2, 4}, "8x48/48", "8x96/48", "8x48/48", "16/32/16/4"},
      {"B300",
       switched_node({.compute_capability = 100, .nic_gigabits = 800, .pcie = kGen6}),
       {2, 4},
       "16x48/48",
       "16x48/48",
       "8x80/96",
       "32/32/32/8"},
      {"PCIe", pcie_node(), {1}, "1x10/10", "1x10/10", "-", "2/0/2/2"},
      {"DGX-1V", dgx1_v100(), {1}, "6x20/20", "6x20/20", "-", "12/0/16/2"},
      {"DGX-1V", dgx1_v100(), {2, 4}, "4x12/12", "4x20/12", "-", "8/0/8/1"},
  };
}

TEST(NcclSearch, FindsTheGraphsAndChannelsOfEachSystemOfTheTable) {
  for (const Row& row : table()) {
    for (const int nodes : row.nodes) {
      const Communicator found = make_communicator(make_system(row.node), nodes);
      const std::string where = fmt::format("{}, {} nodes", row.name, nodes);
      EXPECT_EQ(shape(found, GraphId::ring), row.ring) << where;
      EXPECT_EQ(shape(found, GraphId::tree), row.tree) << where;
      EXPECT_EQ(shape(found, GraphId::nvls), row.nvls) << where;
      EXPECT_EQ(counts(found), row.channels) << where;
    }
  }
}

TEST(NcclSearch, CollNetUsesTheNicsThatReduceWhereItIsAskedFor) {
  const System node = make_system(switched_node({.in_network_reduction = true}));
  EXPECT_FALSE(make_communicator(node, 2).collnet_support);
  const SearchEnvironment asked{.collnet_enable = true};
  for (const int nodes : {2, 4}) {
    const Communicator found = make_communicator(node, nodes, asked);
    EXPECT_TRUE(found.collnet_support);
    EXPECT_EQ(shape(found, GraphId::collnet_direct), "8x48/48");
    EXPECT_EQ(shape(found, GraphId::collnet_chain), "8x48/48");
  }
  EXPECT_FALSE(make_communicator(node, 1, asked).collnet_support);
  EXPECT_FALSE(make_communicator(make_system(switched_node({})), 2, asked).collnet_support);
}

TEST(NcclSearch, RingsOfADgxH100KeepEachHopBetweenNodesOnOneRail) {
  // Channels come in pairs; ring 0 leaves node 0 by the NIC of its last GPU and enters node 1
  // there.
  const Communicator found = make_communicator(make_system(switched_node({})), 4);
  ASSERT_EQ(found.graph(GraphId::ring)->cross_nic, 2);
  for (int channel = 0; channel < found.channels.collective; ++channel) {
    const std::vector<int> ring = connect_ring(found, channel);
    ASSERT_EQ(ring.size(), 32U);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const int here = ring[i], next = ring[(i + 1) % ring.size()];
      if (here / 8 == next / 8) continue;
      EXPECT_EQ(here % 8, next % 8) << "channel " << channel;
    }
  }
}

TEST(NcclSearch, CrossNicZeroComesInAndLeavesByOneNic) {
  const Communicator found = make_communicator(make_system(switched_node({})), 2, {.cross_nic = 0});
  EXPECT_EQ(found.graph(GraphId::ring)->cross_nic, 0);
  for (const GraphChannel& channel : found.graph(GraphId::ring)->orders)
    EXPECT_EQ(channel.net_in, channel.net_out);
}

TEST(NcclSearch, NvlsIsOffWhereTheUserSaysSoAndOnOneGpu) {
  EXPECT_FALSE(
      make_communicator(make_system(switched_node({})), 1, {.nvls_enable = false}).nvls_support);
  const std::vector<int> one{3};
  EXPECT_FALSE(make_communicator(make_system(switched_node({}), one), 2).nvls_support);
}

TEST(NcclSearch, WithoutPxnFarNicsAreReachedThroughTheCpu) {
  // 4 NICs for 8 GPUs: rings return to their NIC over NVLink and the GPU beside it (PXN).
  const System node = make_system(switched_node({.nics = 4}));
  EXPECT_EQ(make_communicator(node, 2).graph(GraphId::ring)->type_inter, PathType::pxn);
  const Communicator without = make_communicator(node, 2, {.pxn_disable = true});
  EXPECT_NE(without.graph(GraphId::ring)->type_inter, PathType::pxn);
}

TEST(NcclSearch, ChannelLimitsOfTheUserBoundTheCollectiveChannels) {
  const System node = make_system(switched_node({}));
  EXPECT_EQ(make_communicator(node, 2, {.max_channels = 4}).channels.collective, 4);
  EXPECT_EQ(make_communicator(node, 2, {.min_channels = 24}).channels.collective, 24);
  EXPECT_EQ(make_communicator(node, 2, {.max_ctas = 8}).channels.collective, 8);
  EXPECT_EQ(make_communicator(node, 2, {.min_ctas = 32}).channels.collective, 32);
  // The copies beyond 16 are of the first channels again.
  const Communicator more = make_communicator(node, 2, {.min_channels = 24});
  EXPECT_EQ(more.channel_origins[17], 1);
  EXPECT_EQ(connect_ring(more, 17), connect_ring(more, 1));
}

TEST(NcclSearch, NodesWithoutNicsCannotFormALargerCommunicator) {
  const System node = make_system(switched_node({.nics = 0}));
  EXPECT_NO_THROW((void)make_communicator(node, 1));
  EXPECT_THROW((void)make_communicator(node, 2), InputError);
}

TEST(NcclSearch, TwoReleasesHaveTheirOwnSpeedsOnBlackwell) {
  // A head takes 2 of 9 parts of its GPU's NVLinks: 721.8 / 9 = 80.2 GB/s. 2.28 knows no speed
  // between 96 and 48; the network's may be twice as high.
  const System node =
      make_system(switched_node({.compute_capability = 100, .nic_gigabits = 800, .pcie = kGen6}));
  EXPECT_EQ(shape(make_communicator(node, 2), GraphId::nvls), "8x80/96");
  EXPECT_EQ(shape(make_communicator(node, 2, {.version = Version::v2_28}), GraphId::nvls),
            "8x48/96");
}

TEST(NcclSearch, P2pChannelsPerPeerFollowEachReleasesRule) {
  const System node = make_system(switched_node({}));
  const auto per_peer = [&](int nodes, Version version) {
    return make_communicator(node, nodes, {.version = version}).channels.p2p_per_peer;
  };
  // 2.30: 48 GB/s at 14 a channel are 4; 256 ranks in batches of 8 leave 16 channels half of
  // one: 1.
  EXPECT_EQ(per_peer(2, Version::v2_30), 4);
  EXPECT_EQ(per_peer(32, Version::v2_30), 1);
  // 2.28: 2, halved while 2 x ranks exceed 4 x 16 channels: 16 ranks 2, 64 ranks 1.
  EXPECT_EQ(per_peer(2, Version::v2_28), 2);
  EXPECT_EQ(per_peer(8, Version::v2_28), 1);
}

TEST(NcclSearch, NvlsChannelsOfBlackwellAreRetunedByNodesAndNic) {
  // src/transport/nvls.cc, ncclNvlsTreeSm100Tuning: NDR (48 GB/s over Gen5) 32 on two nodes,
  // then 24.
  const System ndr = make_system(switched_node(b200()));
  EXPECT_EQ(make_communicator(ndr, 1).channels.nvls_retuned, 24);
  EXPECT_EQ(make_communicator(ndr, 2).channels.nvls_retuned, 32);
  EXPECT_EQ(make_communicator(ndr, 4).channels.nvls_retuned, 24);
  EXPECT_EQ(make_communicator(ndr, 4).channels.nvls, 32);
  const System h100 = make_system(switched_node({}));
  EXPECT_EQ(make_communicator(h100, 4).channels.nvls_retuned, 16);
  EXPECT_EQ(make_communicator(h100, 4, {.nvls_channels = 8}).channels.nvls, 8);
}

TEST(NcclSearch, PartsOfTheCubeMeshHaveRingsOverTheirOwnLinks) {
  // GPUs 0 to 3: 0 and 1 have four links to the others, 2 and 3 five (100 GB/s); each ring takes
  // one of 20 at every GPU, so that four fit.
  const std::vector<int> quad{0, 1, 2, 3};
  const Communicator four = make_communicator(make_system(dgx1_v100(), quad), 1);
  EXPECT_EQ(four.total_bandwidth, 100);
  EXPECT_EQ(shape(four, GraphId::ring), "4x20/20");
  // GPUs 0 and 3: two links between them.
  const std::vector<int> pair{0, 3};
  const Communicator two = make_communicator(make_system(dgx1_v100(), pair), 1);
  EXPECT_EQ(two.total_bandwidth, 40);
  EXPECT_EQ(static_cast<float>(two.graph(GraphId::ring)->channels) *
                two.graph(GraphId::ring)->bandwidth_intra,
            40);
  // GPUs 0 and 7 have no link; the way over a GPU that takes no part is closed: PCIe and QPI, or
  // the NICs, which are faster.
  const std::vector<int> far{0, 7};
  const System apart = make_system(dgx1_v100(), far);
  EXPECT_EQ(
      make_communicator(apart, 1, {.net_disable_intra = true}).graph(GraphId::ring)->type_intra,
      PathType::sys);
  EXPECT_EQ(make_communicator(apart, 1).nodes, 2);
}

TEST(NcclSearch, ErrorsNameTheNodeAndTheGpu) {
  try {
    (void)make_communicator(make_system(switched_node({.nics = 0})), 2);
    FAIL() << "a node without NICs";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("node 'test': GPU 0 reaches no NIC"),
              std::string::npos)
        << error.what();
  }
}

TEST(NcclSearch, AnUnevenGroupDoesWhatAllItsNodesCan) {
  // 8 GPUs of one node and 4 of the next: the four have fewer NICs, and every channel visits all
  // ranks.
  const topology::Cluster cluster = testing::make_cluster(testing::CanonicalNode{}, 2);
  const Group group = Group::first(cluster, 12);
  const Communicator found = make_communicator(cluster, group);
  EXPECT_EQ(found.ranks, 12);
  EXPECT_EQ(found.nodes, 2);
  ASSERT_EQ(found.node_graphs.size(), 2U);
  for (const Graphs& graphs : found.node_graphs)
    EXPECT_GE(graphs[0]->bandwidth_inter, found.graph(GraphId::ring)->bandwidth_inter);
  for (int channel = 0; channel < found.channels.collective; ++channel) {
    std::vector<int> ring = connect_ring(found, channel);
    std::ranges::sort(ring);
    for (int rank = 0; rank < 12; ++rank) EXPECT_EQ(ring[static_cast<std::size_t>(rank)], rank);
  }
}

TEST(NcclSearch, OneSearchServesAllGroupsOfACluster) {
  const topology::Cluster cluster = testing::make_cluster(testing::CanonicalNode{}, 4);
  CommunicatorSearch search(cluster);
  const Communicator two = search.communicator(Group::first(cluster, 16));
  const Communicator four = search.communicator(Group::first(cluster, 32));
  EXPECT_EQ(shape(two, GraphId::ring), shape(four, GraphId::ring));
  EXPECT_EQ(shape(four, GraphId::ring),
            shape(make_communicator(cluster, Group::first(cluster, 32)), GraphId::ring));
  EXPECT_TRUE(four.members.empty());
}

}  // namespace
}  // namespace railyard::collectives::nccl
