#include "topology/formats/ibnetdiscover.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/topology/node_text.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;

std::string fabric_text(const std::vector<SwitchSpec>& switches,
                        const std::vector<CableSpec>& cables) {
  std::string text;
  for (const SwitchSpec& node : switches) text += fmt::format("{} tier {}\n", node.name, node.tier);
  for (const CableSpec& cable : cables)
    text += fmt::format("{} - {} {} x{}\n", cable.a, cable.b, core::to_text(cable.bandwidth),
                        cable.count);
  return text;
}

std::string error_of(std::string_view text) {
  try {
    (void)read_ibnetdiscover(text, "f.ib");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A node with two GPUs and the two NICs of a host.
NodeSpec two_nics() {
  NodeSpec node;
  node.name = "two";
  node.gpu = {.name = "a100_sxm_80",
              .compute_capability = 80,
              .nvlink_bandwidth = Bandwidth::gigabytes_per_second(20)};
  CpuSpec cpu;
  cpu.vendor = "GenuineIntel";
  for (const int i : {0, 1}) {
    PcieSpec gpu;
    gpu.kind = PcieKind::gpu;
    gpu.gpu = i;
    cpu.pcie.push_back(gpu);
    PcieSpec nic;
    nic.kind = PcieKind::nic;
    nic.nets.push_back({.name = fmt::format("mlx5_{}", i),
                        .dev = i,
                        .bandwidth = Bandwidth::gigabits_per_second(200)});
    cpu.pcie.push_back(nic);
  }
  node.cpus.push_back(cpu);
  return node;
}

// HDR lanes are 50 Gb/s: 4x 200 Gb/s, 2x 100 Gb/s. The two chips of the chassis spine1 are two
// switches.
TEST(Ibnetdiscover, ReadsSwitchesCablesAndHosts) {
  const IbFabric fabric = read_ibnetdiscover(fixture("small_fabric.ib"), "f.ib");
  EXPECT_EQ(fabric_text(fabric.switches, fabric.cables), R"(leaf1 tier 1
leaf2 tier 1
spine1/L01/U1 tier 2
spine1/L02/U1 tier 2
leaf1 - spine1/L01/U1 200 Gb/s x2
leaf1 - spine1/L02/U1 200 Gb/s x1
leaf2 - spine1/L01/U1 200 Gb/s x1
leaf2 - spine1/L02/U1 200 Gb/s x1
)");
  std::string hosts;
  for (const IbHost& host : fabric.hosts) {
    hosts += host.name + ":";
    for (const IbAdapterPort& port : host.ports)
      hosts += fmt::format(" {}[{}] {} {}", port.adapter, port.port, port.leaf,
                           core::to_text(port.bandwidth));
    hosts += "\n";
  }
  EXPECT_EQ(hosts, R"(host1: mlx5_0[1] leaf1 200 Gb/s mlx5_1[1] leaf2 200 Gb/s
host2: mlx5_0[1] leaf1 200 Gb/s mlx5_1[1] leaf2 100 Gb/s
manager: HCA-1[1] spine1/L01/U1 100 Gb/s
)");
  EXPECT_THAT(fabric.notes, ElementsAre("SHARP aggregation nodes inside switches, left out: 1"));
}

TEST(Ibnetdiscover, MakesAClusterOfTheHostsThatFitTheNode) {
  const IbFabric fabric = read_ibnetdiscover(fixture("small_fabric.ib"), "f.ib");
  std::vector<std::string> hosts, notes;
  const ClusterSpec cluster = cluster_of_ib_fabric(fabric, two_nics(), "f.ib", hosts, notes);
  EXPECT_THAT(hosts, ElementsAre("host1", "host2"));
  EXPECT_THAT(
      notes,
      ElementsAre("hosts left out because they do not have the 2 ports of the node: manager (1)"));
  EXPECT_EQ(fabric_text({}, {cluster.fabric.cables.begin(), cluster.fabric.cables.begin() + 4}),
            R"(node0/nic0 - leaf1 200 Gb/s x1
node0/nic1 - leaf2 200 Gb/s x1
node1/nic0 - leaf1 200 Gb/s x1
node1/nic1 - leaf2 100 Gb/s x1
)");
  EXPECT_EQ(build_cluster(cluster).rank_count(), 4u);
}

TEST(Ibnetdiscover, ReportsEveryProblemWithItsLine) {
  EXPECT_EQ(error_of("Switch\t40 \"S-x\"\t# \"a\"\n[1]\t\"H-2\"\n[x]\t\"H-2\"[1]\n[3]\n"),
            "f.ib:line 1: a block without the node's \"S-guid\" or \"H-guid\"\n"
            "f.ib:line 2: does not contain the port at the other end: \"S-guid\"[2]\n"
            "f.ib:line 3: is not a port: [1] \"S-guid\"[2]\n"
            "f.ib:line 4: is not a port: [1] \"S-guid\"[2]");
  EXPECT_EQ(
      error_of(
          "Switch 1 \"S-a1\" # \"a\"\n[1] \"H-b2\"[1](b2) # 4xHDR\n[1] \"H-b3\"[1](b3) # 4xHDR\n"),
      "f.ib:line 3: port 1 of a1 has two cables");
  EXPECT_EQ(error_of("Switch 1 \"S-a1\" # \"a\"\n\nSwitch 1 \"S-a1\" # \"a\"\n"),
            "f.ib:line 3: node a1 appears already in line 1");
  EXPECT_EQ(error_of("[1] \"S-a1\"[2] # 4xHDR\n"),
            "f.ib:line 1: a port stands outside of a Switch or Ca block");
  EXPECT_EQ(
      error_of("hello\n"),
      "f.ib: contains neither a Switch nor a Ca block (is this the output of ibnetdiscover?)");
  EXPECT_EQ(
      error_of("Switch 1 \"S-a1\" # \"a\"\n"),
      "f.ib: contains no host that is connected to a switch (hosts are the Ca blocks; ports need a "
      "rate such as "
      "4xNDR)");
}

TEST(Ibnetdiscover, SaysWhichHostsThereAreWhereNoneFits) {
  NodeSpec node = two_nics();
  node.cpus[0].pcie.pop_back();
  node.cpus[0].pcie.pop_back();
  node.cpus[0].pcie.pop_back();
  std::vector<std::string> hosts, notes;
  try {
    (void)cluster_of_ib_fabric(read_ibnetdiscover(fixture("small_fabric.ib"), "f.ib"), node, "f.ib",
                               hosts, notes);
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "f.ib: no host has 0 connected ports as node 'two' has: host1 (2), host2 (2), manager "
        "(1) (give the node type of these hosts with --node)");
  }
}

}  // namespace
}  // namespace railyard::topology
