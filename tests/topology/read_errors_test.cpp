#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::topology {
namespace {

using testing::HasSubstr;

/// Files in a folder of their own, which goes with the test.
class ReadErrors : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(testing::TempDir()) / (std::string("read_errors_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  /// What is wrong with a cluster file, by pointer.
  std::map<std::string, Diagnostic> problems_of(const std::string& text) {
    return problems([&] { static_cast<void>(read_cluster(write("cluster.json", text))); });
  }
  std::map<std::string, Diagnostic> node_problems(const std::string& text) {
    return problems([&] { static_cast<void>(read_node(write("node.json", text))); });
  }

  template <class Act>
  std::map<std::string, Diagnostic> problems(Act act) {
    std::map<std::string, Diagnostic> found;
    try {
      act();
    } catch (const InputError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics())
        found.emplace(diagnostic.pointer, diagnostic);
    }
    return found;
  }

  std::filesystem::path folder_;
};

TEST_F(ReadErrors, EveryProblemOfAClusterFileComesAtOnce) {
  const auto found = problems_of(R"({
    "name": "wrong", "node": "dgx_h1000", "nodes": 0, "nodess": 3,
    "fabric": {"kind": "rail_cloos", "port_bandwidth": "400", "switch_latency": "-1 us"}
  })");
  ASSERT_EQ(found.size(), 6U);
  EXPECT_THAT(found.at("/nodess").hint, HasSubstr("did you mean 'nodes'?"));
  EXPECT_THAT(found.at("/nodes").message, HasSubstr("1"));
  EXPECT_THAT(found.at("/fabric/kind").hint, HasSubstr("did you mean 'rail_clos'?"));
  EXPECT_THAT(found.at("/fabric/port_bandwidth").message, HasSubstr("unit"));
  EXPECT_TRUE(found.contains("/fabric/switch_latency"));
  EXPECT_THAT(found.at("/node").hint, HasSubstr("did you mean 'dgx_h100'?"));
}

TEST_F(ReadErrors, ParametersOfAnotherFabricKindNameTheKindsThatTakeThem) {
  const auto found = problems_of(R"({
    "name": "wrong", "node": "dgx_h100",
    "fabric": {"kind": "single_switch", "spine_oversubscription": 2.0, "k": 4}
  })");
  EXPECT_EQ(found.at("/fabric/spine_oversubscription").hint,
            "fabrics that have it: clos3, rail_clos, dual_plane");
  EXPECT_EQ(found.at("/fabric/k").hint, "fabrics that have it: fat_tree");
}

TEST_F(ReadErrors, MissingParametersSayWhatTheyAre) {
  const auto found =
      problems_of(R"({"name": "wrong", "node": "dgx_h100", "fabric": {"kind": "clos3"}})");
  EXPECT_EQ(found.at("/fabric/nodes_per_unit").hint,
            "the number of nodes that share a leaf switch");
  EXPECT_TRUE(found.contains("/fabric/units_per_pod"));
}

TEST_F(ReadErrors, TwoTiersHaveNoPodsAndNoCores) {
  const auto found = problems_of(R"({
    "name": "wrong", "node": "dgx_h100",
    "fabric": {"kind": "rail_clos", "tiers": 2, "nodes_per_unit": 4, "units_per_pod": 2, "cores": 4}
  })");
  EXPECT_TRUE(found.contains("/fabric/units_per_pod"));
  EXPECT_TRUE(found.contains("/fabric/cores"));
}

TEST_F(ReadErrors, NodeAndGroupsExcludeEachOther) {
  const auto both = problems_of(R"({
    "name": "wrong", "node": "dgx_h100", "groups": [{"node": "dgx_a100", "count": 2}],
    "fabric": {"kind": "single_switch"}
  })");
  EXPECT_TRUE(both.contains("/groups"));
  const auto none = problems_of(R"({"name": "wrong", "fabric": {"kind": "single_switch"}})");
  EXPECT_TRUE(none.contains("/node"));
}

TEST_F(ReadErrors, GroupsAreReadInRankOrderAndKeepTheirShares) {
  const std::string path = write("mixed.json", R"({
    "name": "mixed",
    "groups": [{"node": "dgx_a100", "count": 2}, {"node": "dgx_h100", "count": 1}],
    "fabric": {"kind": "single_switch"}
  })");
  // Two of three nodes: of five 3.33, of one 0.67.
  const Cluster cluster = build_cluster(read_cluster(path, 5));
  ASSERT_EQ(cluster.node_count(), 5U);
  EXPECT_EQ(cluster.shape(NodeId(2)).spec().name, "DGX A100");
  EXPECT_EQ(cluster.shape(NodeId(3)).spec().name, "DGX H100");
  const Cluster one = build_cluster(read_cluster(path, 1));
  ASSERT_EQ(one.node_count(), 1U);
  EXPECT_EQ(one.shape(NodeId(0)).spec().name, "DGX A100");
  EXPECT_EQ(problems([&] { static_cast<void>(read_cluster(path, 0)); }).count("--nodes"), 1U);
}

TEST_F(ReadErrors, NodesAreReadBesideTheClusterFile) {
  write("mine.json", R"({
    "name": "mine", "gpu": "t4",
    "cpus": [{"pcie": [{"kind": "gpu", "gpu": 0},
                       {"kind": "nic", "nets": [{"dev": 0, "bandwidth": "25 Gb/s"}]}]}]
  })");
  const std::string path = write("cluster.json", R"({
    "name": "mine", "node": "mine.json", "nodes": 2, "fabric": {"kind": "single_switch"}
  })");
  EXPECT_EQ(build_cluster(read_cluster(path)).rank_count(), 2U);
}

TEST_F(ReadErrors, NodesMayBeNcclXml) {
  write("mine.xml", R"(<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64" vendor="AuthenticAMD" familyid="25" modelid="1">
    <pci busid="0000:01:00.0" class="0x030200" vendor="0x10de" device="0x20b5"
         link_speed="16.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="80" rank="0" gdr="1"/>
    </pci>
    <pci busid="0000:21:00.0" class="0x020700" vendor="0x15b3" device="0x101b"
         link_speed="16.0 GT/s PCIe" link_width="8">
      <nic><net name="mlx5_0" dev="0" speed="100000" port="1" guid="0x1" gdr="1"/></nic>
    </pci>
  </cpu>
</system>
)");
  const std::string path = write("cluster.json", R"({
    "name": "mine", "node": "mine.xml", "nodes": 3, "fabric": {"kind": "single_switch"}
  })");
  const Cluster cluster = build_cluster(read_cluster(path));
  EXPECT_EQ(cluster.rank_count(), 3U);
  // Gen4 x8: 8 lanes x 120 / 80
  EXPECT_EQ(cluster.shape(NodeId(0)).gpu_to_nic(0, 0).bandwidth,
            Bandwidth::gigabytes_per_second(12));
}

TEST_F(ReadErrors, ProblemsOfANodeFileNameThatFile) {
  write("mine.json", R"({"name": "mine", "gpu": "t5", "cpus": []})");
  const auto found = problems_of(R"({
    "name": "wrong", "node": "mine.json", "fabric": {"kind": "single_switch"}
  })");
  EXPECT_EQ(found.at("/gpu").file, (folder_ / "mine.json").string());
  EXPECT_THAT(found.at("/gpu").hint, HasSubstr("did you mean 't4'?"));
  EXPECT_TRUE(found.contains("/cpus"));
}

TEST_F(ReadErrors, NodesAreCheckedAsAWhole) {
  const auto found = node_problems(R"({
    "name": "wrong", "gpu": "h100_sxm",
    "cpus": [
      {"numa": 0, "pcie": [
        {"kind": "gpu", "gpu": 0},
        {"kind": "gpu", "gpu": 0},
        {"kind": "nic"},
        {"kind": "nic", "nets": [{"dev": 0, "bandwidth": "400 Gb/s"}],
         "children": [{"kind": "gpu", "gpu": 3}]},
        {"kind": "nic", "nets": [{"dev": 0, "bandwidth": "400 Gb/s"}]}]},
      {"numa": 0}
    ],
    "nvlinks": [{"gpu": 0, "peer": 0, "count": 1}, {"gpu": 1, "count": 18}],
    "c2c": [{"gpu": 0, "numa": 7, "bandwidth": "225 GB/s"}]
  })");
  EXPECT_EQ(found.at("/cpus/0/pcie/1/gpu").message, "GPU 0 is listed twice");
  EXPECT_TRUE(found.contains("/cpus/0/pcie/2/nets"));
  EXPECT_TRUE(found.contains("/cpus/0/pcie/3/children"));
  EXPECT_EQ(found.at("/cpus/0/pcie/4/nets/0/dev").message, "net 0 is listed twice");
  EXPECT_TRUE(found.contains("/cpus/1/numa"));
  EXPECT_TRUE(found.contains("/cpus/1/vendor"));  // how fast the CPUs are joined is not known
  EXPECT_TRUE(found.contains("/nvlinks/0/peer"));
  EXPECT_EQ(found.at("/nvlinks/1/gpu").message, "there is no GPU 1");
  EXPECT_EQ(found.at("/c2c/0/numa").message, "there is no CPU 7");
}

TEST_F(ReadErrors, SpeedsThatPcieDoesNotHaveAreRefused) {
  const auto found = node_problems(R"({
    "name": "wrong", "gpu": "t4",
    "cpus": [{"pcie": [{"kind": "gpu", "gpu": 0, "link_speed": "17 GT/s PCIe"}]}]
  })");
  EXPECT_TRUE(found.contains("/cpus/0/pcie/0/link_speed"));
}

// One tray of two GPUs and two nets, twice: GPUs 0-3, nets 0-3, CPUs 0 and 1, one host each.
TEST_F(ReadErrors, RepeatCountsNumbersOn) {
  const NodeSpec node = read_node(write("node.json", R"({
    "name": "rack", "gpu": "gb200", "repeat": 2,
    "cpus": [{"numa": 0, "arch": "arm64", "pcie": [
      {"kind": "gpu", "gpu": 0}, {"kind": "gpu", "gpu": 1},
      {"kind": "nic", "nets": [{"dev": 0, "bandwidth": "400 Gb/s"}]},
      {"kind": "nic", "nets": [{"dev": 1, "bandwidth": "400 Gb/s"}]}]}],
    "nvlinks": [{"gpu": 0, "count": 18}, {"gpu": 1, "count": 18}],
    "c2c": [{"gpu": 0, "numa": 0, "bandwidth": "225 GB/s"}]
  })"));
  EXPECT_EQ(node.hosts, 2);
  EXPECT_EQ(node.repeat, 1);
  ASSERT_EQ(node.cpus.size(), 2U);
  EXPECT_EQ(node.cpus[1].numa, 1);
  EXPECT_NE(node.cpus[0].host_hash, node.cpus[1].host_hash);
  EXPECT_EQ(node.cpus[1].pcie[0].gpu, 2);
  EXPECT_EQ(node.cpus[1].pcie[3].nets[0].dev, 3);
  ASSERT_EQ(node.nvlinks.size(), 4U);
  EXPECT_EQ(node.nvlinks[3].gpu, 3);
  ASSERT_EQ(node.c2c.size(), 2U);
  EXPECT_EQ(node.c2c[1].gpu, 2);
  EXPECT_EQ(node.c2c[1].numa, 1);
  EXPECT_EQ(node.gpu_count(), 4);
  EXPECT_EQ(node.nic_count(), 4);
}

TEST_F(ReadErrors, GpusWithoutNvlinkBandwidthGetThatOfNccl) {
  const GpuSpec gpu = read_gpu(write("gpu.json", R"({"name": "mine", "compute_capability": 90,
          "compute": {"fp16": "1 PFLOP/s", "multiprocessors": 132}})"));
  EXPECT_EQ(gpu.nvlink_bandwidth, Bandwidth::from_gigabytes_per_second(20.6));
}

// Slingshot of one group of 128 nodes: no links to a second group are in the fabric.
TEST_F(ReadErrors, MoreNodesThanADragonflyGroupAreRefused) {
  EXPECT_EQ(read_cluster("slingshot_a100_4", 128).nodes, 128);
  const auto asked = problems([] { static_cast<void>(read_cluster("slingshot_a100_4", 129)); });
  ASSERT_TRUE(asked.contains("--nodes"));
  EXPECT_THAT(asked.at("--nodes").message, HasSubstr("one group of a dragonfly, 128 nodes"));
  const auto found = problems_of(R"({
    "name": "two groups", "node": "slingshot_a100_4", "nodes": 16, "dragonfly_group": 8,
    "fabric": {"kind": "leaf_spine", "transport": "roce", "nodes_per_unit": 8}
  })");
  ASSERT_TRUE(found.contains("/nodes"));
  EXPECT_EQ(found.at("/nodes").hint, "use at most 8");
}

}  // namespace
}  // namespace railyard::topology
