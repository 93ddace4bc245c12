#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/diagnostic.hpp"
#include "hw/probe/describe.hpp"
#include "hw/probe/host_timing.hpp"
#include "hw/probe/memory_rate.hpp"
#include "hw/probe/probe_node.hpp"
#include "tests/hw/schedules.hpp"
#include "topology/node/node_check.hpp"

namespace railyard::hw {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::PcieKind;
using topology::PcieSpec;

/// A copy of /sys and /proc with what a test puts there.
class Tree {
 public:
  Tree() : root_(fs::path(::testing::TempDir()) / ("railyard_probe_" + unique_name())) {
    fs::remove_all(root_);
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  [[nodiscard]] const fs::path& root() const { return root_; }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << '\n';
  }
  void link(const fs::path& name, const fs::path& target) const {
    fs::create_directories((root_ / name).parent_path());
    fs::create_directories(root_ / target);
    fs::create_directory_symlink(root_ / target, root_ / name);
  }
  /// A function below others: path "0000:00:01.0/0000:01:00.0".
  void add_function(const std::string& path, const std::string& pci_class, const std::string& ids,
                    const std::string& speed, int width, int numa) const {
    const fs::path folder = fs::path("sys/devices/pci0000:00") / path;
    write(folder / "class", pci_class);
    write(folder / "vendor", ids.substr(0, 6));
    write(folder / "device", ids.substr(7));
    write(folder / "numa_node", std::to_string(numa));
    if (!speed.empty()) {
      write(folder / "max_link_speed", speed);
      write(folder / "max_link_width", std::to_string(width));
    }
    link(fs::path("sys/bus/pci/devices") / fs::path(path).filename(), folder);
  }
  void add_numa(int number, const std::string& cpus) const {
    const fs::path folder = "sys/devices/system/node/node" + std::to_string(number);
    write(folder / "cpulist", cpus);
    write(folder / "cpumap", "ff");
  }

 private:
  static std::string unique_name() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  fs::path root_;
};

void add_processor(const Tree& tree) {
  tree.write("proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
             "model name\t: Intel(R) Xeon(R) Platinum 8480C\n");
  tree.write("proc/meminfo", "MemTotal:       1048576 kB");
  tree.write("proc/sys/kernel/hostname", "gpu7");
}

/// Two sockets; on the second, a switch (upstream 81:00.0, downstream ports 82:0x.0) with a GPU and
/// a NIC of two ports, one of them down; a GPU alone on the first; an Ethernet interface.
void add_server(const Tree& tree) {
  add_processor(tree);
  tree.add_numa(0, "0-3,8-11");
  tree.add_numa(1, "4-7");
  tree.add_function("0000:00:01.0", "0x060400", "0x8086:0x352a", "32.0 GT/s PCIe", 16, 0);
  tree.add_function("0000:00:01.0/0000:1b:00.0", "0x030200", "0x10de:0x2330", "32.0 GT/s PCIe", 16,
                    0);
  const std::string port = "0000:80:01.0";
  const std::string up = port + "/0000:81:00.0";
  tree.add_function(port, "0x060400", "0x8086:0x352a", "32.0 GT/s PCIe", 16, 1);
  tree.add_function(up, "0x060400", "0x1000:0xc030", "32.0 GT/s PCIe", 16, 1);
  tree.add_function(up + "/0000:82:00.0", "0x060400", "0x1000:0xc030", "32.0 GT/s PCIe", 16, 1);
  tree.add_function(up + "/0000:82:01.0", "0x060400", "0x1000:0xc030", "32.0 GT/s PCIe", 16, 1);
  tree.add_function(up + "/0000:82:00.0/0000:9b:00.0", "0x030200", "0x10de:0x2330",
                    "32.0 GT/s PCIe", 16, 1);
  const std::string nic = up + "/0000:82:01.0/0000:9c:00.0";
  tree.add_function(nic, "0x020700", "0x15b3:0x1021", "32.0 GT/s PCIe", 16, 1);
  tree.link("sys/class/infiniband/mlx5_0/device", "sys/devices/pci0000:00/" + nic);
  tree.write("sys/class/infiniband/mlx5_0/node_guid", "a088:c203:0012:3456");
  for (const char* number : {"1", "2"}) {
    const fs::path ports = fs::path("sys/class/infiniband/mlx5_0/ports") / number;
    tree.write(ports / "state", *number == '1' ? "4: ACTIVE" : "1: DOWN");
    tree.write(ports / "link_layer", "InfiniBand");
    tree.write(ports / "rate", "400 Gb/sec (4X NDR)");
  }
  tree.write("sys/class/net/eth0/type", "1");
  tree.write("sys/class/net/eth0/operstate", "up");
  tree.write("sys/class/net/eth0/speed", "25000");
  tree.write("sys/class/net/lo/type", "772");
}

const std::vector<NvmlGpu>& two_h100() {
  static const std::vector<NvmlGpu> gpus{{.number = 0,
                                          .address = "0000:1b:00.0",
                                          .name = "NVIDIA H100 80GB HBM3",
                                          .compute_capability = 90,
                                          .memory = Bytes(std::int64_t{80} << 30),
                                          .links = {{"", 18}}},
                                         {.number = 1,
                                          .address = "0000:9b:00.0",
                                          .name = "NVIDIA H100 80GB HBM3",
                                          .compute_capability = 90,
                                          .memory = Bytes(std::int64_t{80} << 30),
                                          .links = {{"", 18}}}};
  return gpus;
}

TEST(Machine, SocketsFunctionsAndPortsAreRead) {
  const Tree tree;
  add_server(tree);
  const Machine machine = read_machine(tree.root());
  EXPECT_EQ(machine.host, "gpu7");
  EXPECT_EQ(machine.memory, Bytes(std::int64_t{1} << 30));
  EXPECT_EQ(machine.processor.vendor, "GenuineIntel");
  EXPECT_EQ(machine.processor.family, 6);
  EXPECT_EQ(machine.processor.model, 143);
  ASSERT_EQ(machine.numas.size(), 2U);
  EXPECT_EQ(machine.numas[0].cores, 8) << "0-3 and 8-11";
  EXPECT_EQ(machine.numas[1].cores, 4);
  const PciFunction* nic = find_function(machine, "0000:9c:00.0");
  ASSERT_NE(nic, nullptr);
  EXPECT_THAT(nic->above, ElementsAre("0000:80:01.0", "0000:81:00.0", "0000:82:01.0"));
  EXPECT_EQ(nic->link_speed, "32.0 GT/s PCIe");
  ASSERT_EQ(machine.ports.size(), 2U) << "one port of mlx5_0 is down, lo loops back";
  EXPECT_EQ(machine.ports[0].name, "mlx5_0");
  EXPECT_EQ(machine.ports[0].rate, Bandwidth::gigabits_per_second(400));
  EXPECT_EQ(machine.ports[0].address, "0000:9c:00.0");
  EXPECT_TRUE(machine.ports[0].infiniband);
  EXPECT_EQ(machine.ports[1].rate, Bandwidth::gigabits_per_second(25));
}

TEST(DescribeGpuNode, ASwitchIsItsUpstreamPort) {
  const Tree tree;
  add_server(tree);
  const auto [node, notes] = describe_gpu_node(read_machine(tree.root()), two_h100());
  EXPECT_TRUE(topology::check_node(node).empty());
  EXPECT_EQ(node.gpu.name, "H100-SXM5-80GB") << "by its PCI id, 10de:2330";
  ASSERT_EQ(node.cpus.size(), 2U);
  ASSERT_EQ(node.cpus[0].pcie.size(), 1U) << "a GPU right below its root port hangs at the CPU";
  EXPECT_EQ(node.cpus[0].pcie[0].kind, PcieKind::gpu);
  ASSERT_EQ(node.cpus[1].pcie.size(), 1U);
  const PcieSpec& pcie_switch = node.cpus[1].pcie[0];
  EXPECT_EQ(pcie_switch.kind, PcieKind::pcie_switch);
  EXPECT_EQ(pcie_switch.busid, "0000:81:00.0");
  ASSERT_EQ(pcie_switch.children.size(), 2U);
  EXPECT_EQ(pcie_switch.children[0].gpu, 1);
  ASSERT_EQ(pcie_switch.children[1].nets.size(), 1U) << "verbs devices are the NICs, not eth0";
  EXPECT_EQ(pcie_switch.children[1].nets[0].name, "mlx5_0");
  ASSERT_EQ(node.nvlinks.size(), 2U);
  EXPECT_FALSE(node.nvlinks[0].peer) << "to the NVSwitch";
  EXPECT_EQ(node.nvlinks[0].count, 18);
}

TEST(DescribeGpuNode, LinksBetweenTwoGpusAreListedOnce) {
  const Tree tree;
  add_server(tree);
  auto gpus = two_h100();
  gpus[0].links = {{"0000:9b:00.0", 4}, {"0000:ff:00.0", 4}};
  gpus[1].links = {{"0000:1b:00.0", 4}};
  const auto [node, notes] = describe_gpu_node(read_machine(tree.root()), gpus);
  ASSERT_EQ(node.nvlinks.size(), 1U);
  EXPECT_EQ(node.nvlinks[0].peer, 1);
  EXPECT_THAT(notes, ElementsAre(HasSubstr(
                         "to 0000:ff:00.0 are left out, because NVML does not list that device")));
}

TEST(DescribeGpuNode, GpusOfTwoTypesAreRefused) {
  const Tree tree;
  add_server(tree);
  auto gpus = two_h100();
  gpus[1].name = "NVIDIA L40S";
  EXPECT_THROW((void)describe_gpu_node(read_machine(tree.root()), gpus), InputError);
}

TEST(DescribeHostNode, RanksAreDealtOutByCoresAndShareTheRate) {
  const Tree tree;
  add_processor(tree);
  tree.add_numa(0, "0-3,8-11");  // 8 cores
  tree.add_numa(1, "4-7");       // 4
  const auto [node, notes] =
      describe_host_node(read_machine(tree.root()), 6,
                         {.all_cores = Bandwidth::gigabytes_per_second(12), .cores = 12});
  EXPECT_TRUE(topology::check_node(node).empty());
  EXPECT_EQ(node.gpu_count(), 6);
  EXPECT_EQ(node.cpus[0].pcie.size(), 4U) << "6 * 8/12";
  EXPECT_EQ(node.cpus[1].pcie.size(), 2U);
  EXPECT_EQ(node.cpus[0].pcie[0].bandwidth, Bandwidth::gigabytes_per_second(2)) << "12 / 6";
  EXPECT_THAT(notes, ElementsAre(HasSubstr("no NIC is up")));
}

TEST(DescribeHostNode, AnInterfaceWithoutARateGetsWhatNcclTakes) {
  const Tree tree;
  add_processor(tree);
  tree.add_numa(0, "0-1");
  tree.write("sys/class/net/eth0/type", "1");
  tree.write("sys/class/net/eth0/operstate", "up");
  tree.write("sys/class/net/eth0/speed", "-1");
  const auto [node, notes] = describe_host_node(
      read_machine(tree.root()), 2, {.all_cores = Bandwidth::gigabytes_per_second(8), .cores = 2});
  EXPECT_EQ(node.nic_count(), 1);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("eth0 does not report its rate, so 10 Gb/s")));
}

TEST(Nvml, GpusAndLinksAreRead) {
  setenv("FAKE_GPUS", "2", 1);
  const NvmlReport report = read_nvml(RAILYARD_FAKE_GPU);
  unsetenv("FAKE_GPUS");
  EXPECT_EQ(report.absent, "");
  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_EQ(report.gpus[1].address, "0000:9b:00.0");
  EXPECT_EQ(report.gpus[1].compute_capability, 90);
  EXPECT_EQ(report.gpus[1].memory, Bytes(std::int64_t{80} << 30));
  // The fake's: links 0 to 3 to the other GPU, 4 to an NVSwitch, 5 is down, others are not there.
  ASSERT_EQ(report.gpus[1].links.size(), 2U);
  EXPECT_EQ(report.gpus[1].links[0].peer, "0000:1b:00.0");
  EXPECT_EQ(report.gpus[1].links[0].count, 4);
  EXPECT_EQ(report.gpus[1].links[1].peer, "");
}

TEST(Nvml, WithoutLibraryOrDriverThereAreNoGpus) {
  EXPECT_THAT(read_nvml("/nowhere").absent, HasSubstr("libnvidia-ml.so.1 was not found"));
  setenv("FAKE_NVML_ERROR", "9", 1);
  EXPECT_THAT(read_nvml(RAILYARD_FAKE_GPU).absent, HasSubstr("nvmlInit: Driver Not Loaded (9)"));
  unsetenv("FAKE_NVML_ERROR");
}

TEST(Machine, TheLastCachesAreCountedOnce) {
  const Tree tree;
  add_processor(tree);
  // Two CPUs share an L2 each with nobody, and an L3; two more have an L3 of their own.
  for (int cpu = 0; cpu < 4; ++cpu) {
    const fs::path caches = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache";
    tree.write(caches / "index2/level", "2");
    tree.write(caches / "index2/size", "1024K");
    tree.write(caches / "index2/shared_cpu_list", std::to_string(cpu));
    tree.write(caches / "index3/level", "3");
    tree.write(caches / "index3/size", "32768K");
    tree.write(caches / "index3/shared_cpu_list", cpu < 2 ? "0-1" : "2-3");
  }
  tree.write("sys/devices/system/cpu/cpufreq/level", "9");  // no CPU
  EXPECT_EQ(read_machine(tree.root()).cache, Bytes(std::int64_t{64} << 20));
}

TEST(HostTiming, IsThatOfAMachine) {
  const auto node = testing::cluster_of(1, 3);
  const HostTiming timing = measure_host_timing(node, Bytes(4 << 20));
  EXPECT_GT(timing.launch + timing.step, Time());
  EXPECT_LT(timing.launch, Time::microseconds(100'000));
  EXPECT_LT(timing.step, Time::microseconds(100'000));
  EXPECT_GE(timing.spread, 0);
  ASSERT_TRUE(timing.cached_rate);
  for (const Bandwidth rate : {timing.rate, *timing.cached_rate}) {
    // What a measurement without a result is rounded to; a busy machine shares its cores.
    EXPECT_GT(rate, Bandwidth::megabits_per_second(10));
    EXPECT_LT(rate, Bandwidth::gigabytes_per_second(5000)) << "above any";
  }
}

TEST(HostTiming, ALoadedMachineAndRoundsThatDifferAreWarnedAbout) {
  EXPECT_THAT(measurement_warnings(0.05, 0.9, 2), IsEmpty());
  EXPECT_THAT(measurement_warnings(0.05, 21.3, 2),
              ElementsAre(HasSubstr("load average 21.3 on 2 cores")));
  EXPECT_THAT(measurement_warnings(0.05, 0, 2), IsEmpty()) << "not known";
  EXPECT_THAT(measurement_warnings(3.0, 0.9, 2),
              ElementsAre(HasSubstr("five rounds of the measurement differed by 300 %")));
}

TEST(MemoryRate, IsThatOfAMachine) {
  const MemoryRate rate = measure_memory_rate(2);
  EXPECT_EQ(rate.cores, 2);
  EXPECT_GT(rate.all_cores, Bandwidth::megabits_per_second(800)) << "below any machine's memory";
  EXPECT_LT(rate.all_cores, Bandwidth::gigabytes_per_second(5000)) << "above any";
}

}  // namespace
}  // namespace railyard::hw
