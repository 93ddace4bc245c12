#include <gtest/gtest.h>

#include "collectives/nccl/graph/net_fusion.hpp"
#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/search/search_variables.hpp"
#include "core/diagnostic.hpp"
#include "topology/formats/nccl_xml.hpp"

// NIC fusion (NCCL_NET_MERGE_LEVEL and its like): which NICs become one, and what that one is. What
// the search makes of it is compared with NCCL's own answers in nccl_2_28_test.cpp.
namespace railyard::collectives::nccl {
namespace {

using topology::NodeSpec;
using topology::PcieSpec;

/// One GPU and its NICs below a Gen5 switch, on one CPU.
NodeSpec node_with(const std::string& nics) {
  const std::string gpu =
      R"(<pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
         <gpu dev="0" sm="90" rank="0" gdr="1"/></pci>)";
  return topology::import_nccl_xml(
      R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6"
         modelid="143" affinity="ff"><pci busid="0000:15:00.0" class="0x060400"
         link_speed="32.0 GT/s PCIe" link_width="16">)" +
          gpu + nics + "</pci></cpu></system>",
      "made.xml");
}

std::string net(const std::string& name, int dev, int port = 1, const std::string& more = "") {
  return "<net name=\"" + name + "\" dev=\"" + std::to_string(dev) + "\" speed=\"200000\" port=\"" +
         std::to_string(port) + R"(" guid="0xa)" + std::to_string(dev) +
         R"(" latency="0" gdr="1" )" + more + "/>";
}

std::string nic(const std::string& busid, const std::string& nets) {
  return "<pci busid=\"" + busid +
         R"(" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16"><nic>)" + nets +
         "</nic></pci>";
}

std::string names(const std::vector<FusedNet>& fused) {
  std::string text;
  for (const FusedNet& one : fused) text += (text.empty() ? "" : " ") + one.name;
  return text;
}

std::string fused_names(const NodeSpec& node, const SearchEnvironment& environment = {}) {
  return names(nets_to_fuse(node, environment));
}

const PcieSpec& top_switch(const NodeSpec& node) { return node.cpus.front().pcie.front(); }

TEST(NcclFusion, PortsOfOneFunctionBecomeOneNicOnIt) {
  const NodeSpec node = node_with(nic("0000:18:00.0", net("mlx5_0", 0, 1) + net("mlx5_1", 1, 2)));
  const std::vector<FusedNet> fused = nets_to_fuse(node, {});
  // Two nets, numbers 0 and 1: the virtual one is number 2.
  ASSERT_EQ(fused, (std::vector<FusedNet>{{2, "mlx5_0+mlx5_1", {0, 1}}}));
  const NodeSpec after = fuse_nets(node, fused, Version::v2_30);
  ASSERT_EQ(top_switch(after).children.size(), 2U);
  const PcieSpec& card = top_switch(after).children[1];
  EXPECT_EQ(card.busid, "0000:18:00.0");
  EXPECT_EQ(card.link_width, 16);
  ASSERT_EQ(card.nets.size(), 1U);
  EXPECT_EQ(card.nets[0].bandwidth, Bandwidth::gigabits_per_second(400));
  EXPECT_EQ(card.nets[0].guid, "0xa0");  // the first one's
}

TEST(NcclFusion, FunctionsOfOneCardBecomeOneFunctionAsWideAsTheFirst) {
  const NodeSpec node =
      node_with(nic("0000:18:00.0", net("mlx5_0", 0)) + nic("0000:18:00.1", net("mlx5_1", 1)));
  const NodeSpec after = fuse_nets(node, nets_to_fuse(node, {}), Version::v2_30);
  ASSERT_EQ(top_switch(after).children.size(), 2U);
  EXPECT_EQ(top_switch(after).link_width, 16);
  EXPECT_EQ(top_switch(after).children[1].link_width, 16);
  EXPECT_EQ(top_switch(after).children[1].nets[0].name, "mlx5_0+mlx5_1");
}

TEST(NcclFusion, NicsBelowOneSwitchAreFusedFromPixOnAndShareWiderLinks) {
  const NodeSpec node =
      node_with(nic("0000:18:00.0", net("mlx5_0", 0)) + nic("0000:19:00.0", net("mlx5_1", 1)));
  EXPECT_EQ(fused_names(node), "");
  const SearchEnvironment pix{.merge_level = PathType::pix};
  EXPECT_EQ(fused_names(node, pix), "mlx5_0+mlx5_1");
  for (const Version version : {Version::v2_28, Version::v2_30}) {
    const NodeSpec after = fuse_nets(node, nets_to_fuse(node, pix), version);
    // 16 lanes each: the switch and the virtual NIC below it have 32.
    EXPECT_EQ(top_switch(after).link_width, 32);
    EXPECT_EQ(top_switch(after).children[1].link_width, 32);
  }
}

TEST(NcclFusion, SocketsAndEfaStayApart) {
  for (const std::string name : {"eth", "ens1f", "bond", "ib", "rdmap85s", "enp24s0f"}) {
    const NodeSpec node = node_with(nic("0000:18:00.0", net(name + "0", 0) + net(name + "1", 1)));
    EXPECT_EQ(fused_names(node), "") << name;
  }
  // ibverbs names by slot begin like those of interfaces.
  EXPECT_EQ(fused_names(node_with(nic("0000:18:00.0", net("ibp24s0", 0) + net("ibp24s1", 1)))),
            "ibp24s0+ibp24s1");
}

TEST(NcclFusion, LevelLocAndIbMergeNicsLeaveAllApart) {
  const NodeSpec node = node_with(nic("0000:18:00.0", net("mlx5_0", 0) + net("mlx5_1", 1)));
  EXPECT_EQ(fused_names(node, {.merge_level = PathType::loc}), "");
  EXPECT_EQ(fused_names(node, {.merge_nics = false}), "");
}

TEST(NcclFusion, AVirtualNicHasUpToEightNicsAndFourBefore230) {
  std::string ports;
  for (int i = 0; i < 10; ++i) ports += net("m" + std::to_string(i), i);
  const NodeSpec node = node_with(nic("0000:18:00.0", ports));
  EXPECT_EQ(fused_names(node), "m0+m1+m2+m3+m4+m5+m6+m7 m8+m9");
  EXPECT_EQ(fused_names(node, {.version = Version::v2_28}), "m0+m1+m2+m3 m4+m5+m6+m7 m8+m9");
}

TEST(NcclFusion, PolicyRailKeepsRailsApart) {
  const NodeSpec node =
      node_with(nic("0000:18:00.0", net("a", 0, 1, R"(rail="0")") + net("b", 1, 2, R"(rail="1")") +
                                        net("c", 2, 3, R"(rail="0")") + net("d", 3, 4)));
  EXPECT_EQ(fused_names(node), "a+b+c+d");
  EXPECT_EQ(fused_names(node, {.merge_by_rail = true}), "a+c");
}

TEST(NcclFusion, ForceMergeFusesWhatIsNamedAndTheRestAsUsual) {
  const NodeSpec node =
      node_with(nic("0000:18:00.0", net("a", 0) + net("b", 1)) + nic("0000:19:00.0", net("c", 2)) +
                nic("0000:1a:00.0", net("d", 3, 1) + net("e", 4, 2)));
  EXPECT_EQ(fused_names(node, {.force_merge = "b,c"}), "b+c d+e");
  EXPECT_EQ(fused_names(node, {.force_merge = "c:1,a;d,e:2"}), "a+c d+e");
}

std::string refusal(const NodeSpec& node, const SearchEnvironment& environment) {
  try {
    (void)nets_to_fuse(node, environment);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(NcclFusion, ForceMergeOfWhatIsNotThereOrCannotBeIsRefused) {
  const NodeSpec node = node_with(nic("0000:18:00.0", net("a", 0) + net("eth0", 1)));
  EXPECT_NE(refusal(node, {.force_merge = "a,x"}).find("names 2 NICs, of which the node has 1"),
            std::string::npos);
  EXPECT_NE(refusal(node, {.force_merge = "a,eth0"}).find("without NIC fusion"), std::string::npos);
  EXPECT_NE(refusal(node, {.force_merge = "a,a;a"}), "none");
  EXPECT_NE(refusal(node, {.force_merge = "a", .merge_nics = false}).find("NCCL_IB_MERGE_NICS=0"),
            std::string::npos);
}

TEST(NcclFusion, NicsOfTwoNumaDomainsCannotBeFused) {
  const NodeSpec node = topology::import_nccl_xml(
      R"(<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD" affinity="f">
         <pci busid="0000:1b:00.0" class="0x030200" link_speed="" link_width="16">
         <gpu dev="0" sm="90" rank="0" gdr="1"/></pci>)" +
          nic("0000:18:00.0", net("a", 0)) +
          R"(</cpu><cpu numaid="1" arch="x86_64" vendor="AuthenticAMD" affinity="f">)" +
          nic("0000:19:00.0", net("b", 1)) + "</cpu></system>",
      "made.xml");
  EXPECT_EQ(fused_names(node, {.merge_level = PathType::phb}), "");
  EXPECT_NE(refusal(node, {.merge_level = PathType::sys}).find("different NUMA domains"),
            std::string::npos);
}

TEST(NcclFusion, ADualPortCardGivesItsGpuOneChannelOfBothRates) {
  // One GPU and two ports of 200 Gb/s (25 GB/s) a node. Fused they are a NIC of 50 GB/s, and PCIe
  // Gen5 x16 carries 48: one channel of 48 GB/s is found and doubled at half the speed, as with a
  // NIC of 400 Gb/s. Apart, a ring enters and leaves by one port: 24 GB/s each.
  const NodeSpec node = node_with(nic("0000:18:00.0", net("mlx5_0", 0, 1) + net("mlx5_1", 1, 2)));
  const std::vector<int> gpus{0};
  const Communicator fused = make_communicator(make_system(node, gpus, {}), 2);
  EXPECT_EQ(fused.graph(GraphId::ring)->channels, 2);
  EXPECT_EQ(fused.graph(GraphId::ring)->bandwidth_inter, 24);
  EXPECT_EQ(fused.graph(GraphId::ring)->orders[1].net_in, 2);
  EXPECT_EQ(fused.max_bandwidth, 48);
  const SearchEnvironment apart{.merge_level = PathType::loc};
  const Communicator two = make_communicator(make_system(node, gpus, apart), 2, apart);
  EXPECT_EQ(two.max_bandwidth, 25);
  EXPECT_EQ(two.graph(GraphId::ring)->orders[1].net_in, 1);
}

TEST(NcclFusion, VariablesAreReadAsNcclDoes) {
  SearchEnvironment environment;
  const auto set = [&](std::string_view name, std::string_view value) {
    return find_search_variable(name)->set(environment, value);
  };
  EXPECT_EQ(environment.merge_level, PathType::nvl);  // PORT
  EXPECT_TRUE(set("NCCL_NET_MERGE_LEVEL", "PHB"));
  EXPECT_EQ(environment.merge_level, PathType::phb);
  EXPECT_TRUE(set("NCCL_NET_MERGE_LEVEL", "PORT"));
  EXPECT_EQ(environment.merge_level, PathType::nvl);
  EXPECT_FALSE(set("NCCL_NET_MERGE_LEVEL", "NVL"));
  EXPECT_TRUE(set("NCCL_NET_MERGE_POLICY", "RAIL"));
  EXPECT_TRUE(environment.merge_by_rail);
  EXPECT_FALSE(set("NCCL_NET_FORCE_MERGE", ";"));
}

}  // namespace
}  // namespace railyard::collectives::nccl
