#include "topology/formats/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "tests/topology/node_text.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/node/known_devices.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Import, TellsFormatsByTheirContent) {
  EXPECT_EQ(recognise_format(fixture("two_hosts.xml")), ImportFormat::nccl_xml);
  EXPECT_EQ(recognise_format(fixture("four_gpus.topo")), ImportFormat::nvidia_smi);
  EXPECT_EQ(recognise_format(fixture("small_fabric.ib")), ImportFormat::ibnetdiscover);
  EXPECT_EQ(recognise_format(fixture("three_levels.conf")), ImportFormat::slurm_conf);
  EXPECT_EQ(recognise_format(fixture("tree.yaml")), ImportFormat::slurm_yaml);
  EXPECT_EQ(recognise_format("\xef\xbb\xbf <system/>"), ImportFormat::nccl_xml);
  EXPECT_EQ(recognise_format("{\"name\": 1}"), std::nullopt);
  EXPECT_EQ(recognise_format(""), std::nullopt);
}

std::string error_of(std::string_view text, const ImportRequest& request = {}) {
  try {
    (void)import_topology(text, "f", request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Import, SaysWhatIsMissing) {
  EXPECT_EQ(error_of("what"),
            "f: is not a topology file that Railyard can read (NCCL topology XML, nvidia-smi "
            "topo -m, ibnetdiscover, Slurm topology.conf or .yaml)");
  EXPECT_EQ(error_of(fixture("four_gpus.topo")),
            "f: nvidia-smi topo -m does not contain the type of the GPUs (give their type, such as "
            "--gpu h100_sxm)");
  EXPECT_EQ(error_of(fixture("three_levels.conf")),
            "f: does not describe the inside of its hosts (give their node type, such as --node "
            "dgx_h100)");
}

class ImportFiles : public ::testing::Test {
 protected:
  /// Writes an import to files and reads it as a cluster.
  ClusterSpec through_files(const ImportedTopology& imported) {
    const std::filesystem::path file = folder_ / "mine.json";
    const ImportedFiles files = write_imported(imported, file.string());
    std::ofstream(file) << files.cluster;
    if (!files.node_name.empty()) std::ofstream(folder_ / files.node_name) << files.node;
    return read_cluster(file.string());
  }
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / "railyard_import" / test->name();
    std::filesystem::create_directories(folder_);
  }
  std::filesystem::path folder_;
};

// Three nodes of two GPUs with a rank each.
TEST_F(ImportFiles, OfANodeHoldTheNodeBesideTheCluster) {
  const ImportedTopology imported =
      import_topology(fixture("hopper_pair.xml"), "hopper_pair.xml",
                      {.nodes = 3, .fabric = {.kind = FabricKind::rail_only}});
  const ClusterSpec cluster = through_files(imported);
  EXPECT_EQ(cluster.node, "mine.node.xml");
  EXPECT_EQ(cluster.name, "hopper-pair");
  EXPECT_EQ(cluster.fabric.kind, FabricKind::rail_only);
  EXPECT_EQ(node_text(cluster.node_specs.at(0)), node_text(imported.cluster.node_specs.at(0)));
  EXPECT_EQ(build_cluster(cluster).rank_count(), 6u);
  EXPECT_EQ(build_cluster(imported.cluster).rank_count(), 6u);
}

TEST_F(ImportFiles, OfNvidiaSmiHoldTheNodeToo) {
  const ImportedTopology imported =
      import_topology(fixture("four_gpus.topo"), "four_gpus.topo", {.gpu = "a100_sxm_80"});
  const ClusterSpec cluster = through_files(imported);
  std::string written = node_text(cluster.node_specs.at(0)),
              read = node_text(imported.cluster.node_specs.at(0));
  // The file names PCI classes, which nvidia-smi does not.
  for (const std::string_view code : {" 0x060400", " 0x030200", " 0x020000"})
    for (std::size_t at; (at = written.find(code)) != std::string::npos;)
      written.erase(at, code.size());
  EXPECT_EQ(written, read);
  EXPECT_EQ(build_cluster(cluster).rank_count(), 4u);
}

// Six hosts of a DGX H100: 48 GPUs, 3 leaves + 2 spines + 1 core.
TEST_F(ImportFiles, OfSlurmNameTheNodeOfTheHosts) {
  const ImportedTopology imported =
      import_topology(fixture("three_levels.conf"), "topology.conf", {.node = "dgx_h100"});
  EXPECT_THAT(imported.hosts, ElementsAre("gpu01", "gpu02", "gpu03", "gpu04", "gpu05", "gpu07"));
  const ClusterSpec cluster = through_files(imported);
  EXPECT_EQ(cluster.node, "dgx_h100");
  EXPECT_EQ(cluster.fabric.switches.size(), 6u);
  EXPECT_EQ(build_cluster(cluster).rank_count(), 48u);
}

TEST(KnownDevices, HaveEveryShippedGpuByItsName) {
  for (const std::string& name : core::config_names("gpus")) {
    const KnownGpu* known = known_gpu(name);
    ASSERT_NE(known, nullptr) << name;
    EXPECT_EQ(known->key, name);
    EXPECT_EQ(known->name, read_gpu(name).name);
    EXPECT_EQ(known->compute_capability, read_gpu(name).compute_capability) << name;
  }
}

TEST(KnownDevices, GuessByPcieWhatUsuallySitsThere) {
  EXPECT_EQ(usual_gpu(8).key, "v100_sxm");
  EXPECT_EQ(usual_gpu(16).key, "a100_sxm_80");
  EXPECT_EQ(usual_gpu(32).key, "h100_sxm");
  EXPECT_EQ(usual_nic_rate(8, 16), Bandwidth::gigabits_per_second(100));   // 128 Gb/s raw
  EXPECT_EQ(usual_nic_rate(16, 8), Bandwidth::gigabits_per_second(100));   // 128
  EXPECT_EQ(usual_nic_rate(32, 16), Bandwidth::gigabits_per_second(400));  // 512
  EXPECT_EQ(usual_nic_rate(2.5, 1),
            Bandwidth::gigabits_per_second(10));  // 2.5: the slowest there is
}

}  // namespace
}  // namespace railyard::topology
