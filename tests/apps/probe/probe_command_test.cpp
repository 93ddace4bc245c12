#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/config/text_file.hpp"
#include "tests/apps/command_result.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

Ended run(const std::string& arguments, const std::string& environment = "") {
  const std::string command = "env -u RANK -u WORLD_SIZE -u MASTER_ADDR " + environment + " " +
                              RAILYARD_EXECUTABLE + " " + arguments + " 2>&1";
  return run_in_shell(command);
}

class ProbeCommand : public ::testing::Test {
 protected:
  ProbeCommand()
      : folder_(fs::path(::testing::TempDir()) /
                (std::string("railyard_probe_") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ProbeCommand() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text << '\n';
  }
  /// A host of two cores and two InfiniBand adapters below <folder>/root.
  [[nodiscard]] std::string host_of_two_adapters() const {
    write("root/proc/sys/kernel/hostname", "host1");
    write("root/sys/devices/system/node/node0/cpulist", "0-1");
    for (const std::string nic : {"mlx5_0", "mlx5_1"}) {
      const fs::path port = fs::path("root/sys/class/infiniband") / nic / "ports/1";
      write(port / "state", "4: ACTIVE");
      write(port / "link_layer", "InfiniBand");
      write(port / "rate", "200 Gb/sec (4X HDR)");
    }
    return path("root");
  }

 private:
  fs::path folder_;
};

// /nowhere has no NVML: ranks are on cores whatever this machine has.
constexpr const char* kCores = "--libraries /nowhere --memory-rate '10 GB/s' ";

TEST_F(ProbeCommand, WhatItWritesOfThisMachineIsACluster) {
  const std::string cluster = path("cluster.json");
  const Ended probed = run(std::string("probe --ranks 2 -o ") + cluster + ' ' + kCores);
  ASSERT_EQ(probed.code, 0) << probed.text;
  EXPECT_EQ(run("topo check " + cluster).code, 0);
  EXPECT_EQ(run("bench --gpus 2 --bytes 64K -n 1 --predict " + cluster).code, 0);
  EXPECT_EQ(run("probe --libraries /nowhere --memory-rate 10 -o " + cluster).code, 2);
}

TEST_F(ProbeCommand, WhatIsMeasuredOfTheHostIsInItsFiles) {
  const std::string cluster = path("cluster.json");
  const Ended probed = run("probe --libraries /nowhere --ranks 3 -o " + cluster);
  ASSERT_EQ(probed.code, 0) << probed.text;
  EXPECT_THAT(probed.text, HasSubstr("a collective of threads takes "));
  const topology::Cluster built = topology::build_cluster(topology::read_cluster(cluster));
  // A step between threads takes some time, and less than NCCL's between GPUs over PCIe on a
  // network; the launch of a GPU kernel it is not.
  const topology::StepOverheads& overheads = built.spec().overheads.simple;
  EXPECT_GT(overheads.pcie, Time());
  EXPECT_LT(overheads.pcie, Time::microseconds(1000));
  EXPECT_NE(overheads.launch, topology::ProtocolOverheads().simple.launch);
  EXPECT_EQ(run("bench --gpus 3 --bytes 64K -n 1 --predict " + cluster).code, 0);
}

TEST_F(ProbeCommand, RatesThatCannotBeSeenAreTold) {
  const std::string root = host_of_two_adapters();
  write("root/sys/class/infiniband/mlx5_0/ports/1/rate", "");
  const std::string flags =
      std::string(kCores) + "--root " + root + " --ranks 2 -o " + path("c.json");
  const Ended assumed = run("probe " + flags);
  EXPECT_THAT(assumed.text, HasSubstr("mlx5_0 does not report its rate, so 10 Gb/s is assumed"));
  const Ended told =
      run("probe " + flags + " --nodes 2 --nic-rate '50 Gb/s' --port-bandwidth '25 Gb/s'");
  ASSERT_EQ(told.code, 0) << told.text;
  EXPECT_THAT(told.text, Not(HasSubstr("does not report its rate")));
  const std::string node = core::read_text_file(path("c.node.json"));
  EXPECT_THAT(node, HasSubstr("\"bandwidth\": \"50 Gb/s\""));
  EXPECT_THAT(node, HasSubstr("\"bandwidth\": \"200 Gb/s\""));
  EXPECT_THAT(core::read_text_file(path("c.json")), HasSubstr("\"port_bandwidth\": \"25 Gb/s\""));
  EXPECT_EQ(run("probe " + flags + " --port-bandwidth fast").code, 2);
}

TEST_F(ProbeCommand, TheFabricIsReadFromIbnetdiscover) {
  const std::string fabric = RAILYARD_SOURCE_DIR "/tests/topology/fixtures/small_fabric.ib";
  const Ended probed =
      run("probe " + std::string(kCores) + "--ranks 2 --root " + host_of_two_adapters() +
          " --fabric-file " + fabric + " -o " + path("c.json"));
  ASSERT_EQ(probed.code, 0) << probed.text;
  // host1 and host2 have two adapters each; the manager has one.
  EXPECT_THAT(probed.text, HasSubstr("c.json: 2 nodes, 4 ranks, 4 NICs"));
  EXPECT_THAT(probed.text, HasSubstr("manager"));
  const topology::Cluster cluster = topology::build_cluster(topology::read_cluster(path("c.json")));
  EXPECT_EQ(cluster.spec().fabric.kind, topology::FabricKind::explicit_list);
  EXPECT_EQ(run("topo check " + path("c.json")).code, 0);
}

TEST_F(ProbeCommand, TheFabricIsReadFromSlurm) {
  const std::string fabric = RAILYARD_SOURCE_DIR "/tests/topology/fixtures/three_levels.conf";
  const Ended probed =
      run("probe " + std::string(kCores) + "--ranks 2 --root " + host_of_two_adapters() +
          " --fabric-file " + fabric + " -o " + path("c.json"));
  ASSERT_EQ(probed.code, 0) << probed.text;
  EXPECT_THAT(probed.text, HasSubstr("c.json: 6 nodes, 12 ranks, 12 NICs"));  // gpu01-05, gpu07
  EXPECT_EQ(
      run("probe " + std::string(kCores) + "--fabric-file /nowhere/x -o " + path("d.json")).code,
      2);
  write("not.conf", "neither");
  const Ended none = run("probe " + std::string(kCores) + "--fabric-file " + path("not.conf") +
                         " -o " + path("d.json"));
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.text, HasSubstr("is not a topology file"));
}

// With GPUs, tests/hw/fake_nccl is in the place of NVML, CUDA and NCCL.
constexpr const char* kFake = "--libraries " RAILYARD_FAKE_GPU " ";

TEST_F(ProbeCommand, NcclDescribesItsNode) {
  const Ended probed =
      run("probe " + std::string(kFake) + "--nccl-dump yes -o " + path("c.json"), "FAKE_GPUS=2");
  ASSERT_EQ(probed.code, 0) << probed.text;
  EXPECT_THAT(probed.text, HasSubstr("c.json: 1 nodes, 2 GPUs, 1 NICs"));
  const std::string node = core::read_text_file(path("c.node.xml"));
  // The fake's XML has 18 NVLinks a GPU to a switch; its NVML has 4 and 1.
  EXPECT_THAT(node, HasSubstr("count=\"18\""));
  EXPECT_THAT(node, HasSubstr("mlx5_0"));
  EXPECT_EQ(run("topo check " + path("c.json")).code, 0);
}

TEST_F(ProbeCommand, WhereNcclCannotTheDriverDescribesTheNode) {
  const std::string flags = "probe " + std::string(kFake) + "-o " + path("c.json");
  const std::string fault = "FAKE_GPUS=2 FAKE_FAULT=fail:ncclCommInitAll:0:2";
  const Ended fallen = run(flags, fault);
  ASSERT_EQ(fallen.code, 0) << fallen.text;
  EXPECT_THAT(fallen.text,
              ::testing::ContainsRegex(
                  "note: NCCL could not describe this node; the description is "
                  "from the driver and sysfs: host [^ ]+: ncclCommInitAll: unhandled"));
  const Ended asked = run(flags + " --nccl-dump yes", fault);
  EXPECT_EQ(asked.code, 3);
  EXPECT_THAT(asked.text, HasSubstr("--nccl-dump yes: host "));
  const Ended hung = run(flags + " --nccl-dump yes --timeout '500 ms'",
                         "FAKE_GPUS=2 FAKE_FAULT=hang:ncclCommInitAll:0");
  EXPECT_EQ(hung.code, 3);
  EXPECT_THAT(hung.text, HasSubstr("ncclCommInitAll: did not end within 500 ms"));
  const Ended none = run("probe --libraries /nowhere --nccl-dump yes -o " + path("c.json"));
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.text, HasSubstr("this machine has no GPU"));
}

}  // namespace
}  // namespace railyard::apps::testing
