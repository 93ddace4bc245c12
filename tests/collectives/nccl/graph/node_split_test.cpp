#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/nccl/graph/connect.hpp"
#include "collectives/nccl/graph/node_split.hpp"
#include "collectives/nccl/search/search.hpp"
#include "topology/formats/nccl_xml.hpp"

// Nodes that NCCL takes apart, since their GPUs reach the network faster than each other
// (NCCL_NET_DISABLE_INTRA). What its search makes of the parts is compared with NCCL's own answers
// in nccl_2_28_test.cpp.
namespace railyard::collectives::nccl {
namespace {

struct Form {
  int nic_gigabits = 200;
  int bridge_nvlinks = 0;             ///< from GPU 0 to GPU 2, across the sockets
  std::string order = "0123";         ///< numbers of the GPUs, as their PCIe tree lists them
  std::string second_nic = "switch";  ///< where the second socket has its NIC
};

std::string gpu(const Form& form, int place) {
  std::string link;
  const bool bridged = place == 0 || place == 2;
  if (bridged && form.bridge_nvlinks > 0)
    link = "<nvlink target=\"0000:0" + std::to_string(2 - place) + ":01.0\" count=\"" +
           std::to_string(form.bridge_nvlinks) + "\" tclass=\"0x030200\"/>";
  const std::string number(1, form.order[static_cast<std::size_t>(place)]);
  return "<pci busid=\"0000:0" + std::to_string(place) +
         R"(:01.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev=")" +
         number + R"(" sm="80" rank=")" + number + R"(" gdr="1">)" + link + "</gpu></pci>";
}

std::string nic(const Form& form, int number) {
  return "<pci busid=\"0000:1" + std::to_string(number) +
         R"(:00.0" class="0x020700" link_speed="16.0 GT/s PCIe" link_width="16">)"
         R"(<nic><net name="m)" +
         std::to_string(number) + "\" dev=\"" + std::to_string(number) + "\" speed=\"" +
         std::to_string(form.nic_gigabits * 1000) + R"(" port="1" gdr="1"/></nic></pci>)";
}

/// Two Ice Lake sockets (10 GB/s between them), each with two GPUs and a NIC below a PCIe Gen4
/// switch (24 GB/s).
topology::NodeSpec two_sockets(const Form& form = {}) {
  std::string xml = R"(<system version="1">)";
  for (int socket = 0; socket < 2; ++socket) {
    const bool at_cpu = socket == 1 && form.second_nic == "cpu";
    xml += "<cpu numaid=\"" + std::to_string(socket) +
           R"(" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="106" affinity="f">)" +
           "<pci busid=\"0000:2" + std::to_string(socket) +
           R"(:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">)" +
           gpu(form, 2 * socket) + gpu(form, 2 * socket + 1) + (at_cpu ? "" : nic(form, socket)) +
           "</pci>" + (at_cpu ? nic(form, socket) : "") + "</cpu>";
  }
  return topology::import_nccl_xml(xml + "</system>", "two_sockets.xml");
}

std::vector<std::vector<int>> parts(const Form& form, const SearchEnvironment& environment = {}) {
  std::vector<std::vector<int>> ranks;
  for (const NodePart& part : split_node(make_system(two_sockets(form)), environment))
    ranks.push_back(part.ranks);
  return ranks;
}

const std::vector<std::vector<int>> kWhole{{0, 1, 2, 3}}, kHalves{{0, 1}, {2, 3}};

TEST(NcclNodeSplit, SocketsWithNicsFasterThanTheirLinkAreNodesOfTheirOwn) {
  // Across the sockets 10 GB/s; each GPU reaches its NIC with 24.
  EXPECT_EQ(parts({}), kHalves);
  EXPECT_EQ(parts({}, {.version = Version::v2_28}), kHalves);
  EXPECT_EQ(parts({}, {.net_disable_intra = true}), kWhole);
}

TEST(NcclNodeSplit, SlowOrFarNicsAndNvlinksKeepANodeWhole) {
  EXPECT_EQ(parts({.nic_gigabits = 40}), kWhole);   // 5 GB/s
  EXPECT_EQ(parts({.second_nic = "cpu"}), kWhole);  // PHB is not near
  // GPU 2 reaches GPU 0 by 4 NVLinks of 20 GB/s and joins it; GPU 3 reaches GPU 2.
  EXPECT_EQ(parts({.bridge_nvlinks = 4}), kWhole);
}

TEST(NcclNodeSplit, PartsGoByTheirLeastRankAndNumberTheirRanksAnew) {
  // The first socket has GPUs 3 and 1, the second 2 and 0.
  const auto split = split_node(make_system(two_sockets({.order = "3120"})), {});
  ASSERT_EQ(split.size(), 2U);
  EXPECT_EQ(split[0].ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(split[1].ranks, (std::vector<int>{1, 3}));
  ASSERT_EQ(split[1].system.gpus.size(), 2U);
  EXPECT_EQ(split[1].system.gpus[0].rank, 1);  // GPU 3 is the second of its part
  EXPECT_EQ(split[1].system.gpus[0].dev, 3);
  EXPECT_EQ(split[1].system.gpus[1].rank, 0);
}

TEST(NcclNodeSplit, APartKeepsAllNicsAndFrom230OnAllDevices) {
  for (const auto& [version, devices] : {std::pair{Version::v2_28, 2}, {Version::v2_30, 4}}) {
    const auto split = split_node(make_system(two_sockets()), {.version = version});
    EXPECT_EQ(split[1].system.net_count(), 2);
    EXPECT_EQ(split[1].system.count(VertexKind::gpu), 2);
    EXPECT_EQ(split[1].system.count(VertexKind::dev), devices);
  }
}

TEST(NcclNodeSplit, ANodeOfTwoPartsIsACommunicatorOfTwoNodes) {
  const Communicator one = make_communicator(make_system(two_sockets()), 1);
  EXPECT_EQ(one.nodes, 2);
  EXPECT_EQ(one.ranks, 4);
  // Inside a socket Gen4 x16 carries 24 GB/s, and so does the NIC's link.
  EXPECT_EQ(one.graph(GraphId::ring)->bandwidth_inter, 24);
  const Communicator two = make_communicator(make_system(two_sockets()), 2);
  EXPECT_EQ(two.nodes, 4);
  ASSERT_EQ(two.members.size(), 4U);
  EXPECT_EQ(two.members[1].ranks, (std::vector<int>{2, 3}));
  EXPECT_EQ(two.members[3].ranks, (std::vector<int>{6, 7}));
  for (int channel = 0; channel < two.channels.collective; ++channel) {
    std::vector<int> ring = connect_ring(two, channel);
    std::ranges::sort(ring);
    EXPECT_EQ(ring, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
