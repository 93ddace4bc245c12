#include <gtest/gtest.h>

#include <vector>

#include "collectives/nccl/graph/link_budget.hpp"
#include "collectives/nccl/graph/local_nets.hpp"
#include "collectives/nccl/graph/names.hpp"
#include "collectives/nccl/graph/paths.hpp"
#include "collectives/nccl/graph/system_builder.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/nccl_systems.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::collectives::nccl {
namespace {

using testing::dgx1_v100;
using testing::pcie_node;
using testing::switched_node;

/// A system with its paths, asked by index.
struct Ways {
  System system;
  SearchEnvironment environment{};
  Paths paths = compute_paths(system, environment);

  explicit Ways(const topology::NodeSpec& node, const SearchEnvironment& given = {})
      : system(make_system(node)), environment(given) {}
  [[nodiscard]] const Path& gpus(int a, int b) const {
    return paths.between(system.vertex(VertexKind::gpu, a), system.vertex(VertexKind::gpu, b));
  }
  [[nodiscard]] const Path& gpu_to_net(int gpu, int net) const {
    return paths.between(system.vertex(VertexKind::gpu, gpu), system.vertex(VertexKind::net, net));
  }
  [[nodiscard]] const Path& net_to_gpu(int net, int gpu) const {
    return paths.between(system.vertex(VertexKind::net, net), system.vertex(VertexKind::gpu, gpu));
  }
};

TEST(NcclSystem, HasNcclsVerticesAndBandwidths) {
  const System system = make_system(switched_node({}));
  EXPECT_EQ(system.gpu_count(), 8);
  EXPECT_EQ(system.count(VertexKind::dev), 8);
  EXPECT_EQ(system.count(VertexKind::pci), 8);
  EXPECT_EQ(system.count(VertexKind::nvs), 1);
  EXPECT_EQ(system.net_count(), 8);
  // From a device: 5000 to its rank, 18 x 20.6 to the NVSwitch, PCIe Gen5 x16 up: 16 x 240 / 80
  // = 48.
  std::vector<float> bandwidths;
  for (const int link : system[system.vertex(VertexKind::dev, 0)].links)
    bandwidths.push_back(system.links[static_cast<std::size_t>(link)].bandwidth);
  ASSERT_EQ(bandwidths.size(), 3U);
  EXPECT_FLOAT_EQ(bandwidths[0], 5000);
  EXPECT_FLOAT_EQ(bandwidths[1], 370.8F);
  EXPECT_FLOAT_EQ(bandwidths[2], 48);
}

TEST(NcclSystem, RanksAreThoseOfTheGpusThatTakePart) {
  const System system = make_system(switched_node({}), std::vector<int>{6, 2});
  ASSERT_EQ(system.gpu_count(), 2);  // in the order of the PCIe tree: GPU 2, then GPU 6
  EXPECT_EQ(system.gpus[0].dev, 2);
  EXPECT_EQ(system.gpus[0].rank, 1);
  EXPECT_EQ(system.gpus[1].rank, 0);
  EXPECT_THROW((void)make_system(switched_node({}), std::vector<int>{8}), InputError);
  EXPECT_THROW((void)make_system(switched_node({}), std::vector<int>{1, 1}), InputError);
  EXPECT_THROW((void)make_system(switched_node({}), std::vector<int>{}), InputError);
}

TEST(NcclSystem, ASwitchThatShowsItselfAsTwoLevelsIsOne) {
  // A Broadcom PEX of Gen5: the upper level ends in 0, the lower one in 1 (getBcmGen).
  topology::NodeSpec node = switched_node({.gpus = 2, .nics = 0});
  auto& tree = node.cpus[0].pcie;
  topology::PcieSpec upper = tree.front(), lower = tree.front();
  for (topology::PcieSpec* level : {&upper, &lower}) {
    level->vendor = "0x1000";
    level->device = "0xc030";
    level->subsystem_vendor = "0x1000";
  }
  upper.subsystem_device = "0x0000";
  lower.subsystem_device = "0x1000";
  upper.children = {lower};
  tree = {upper};
  EXPECT_EQ(two_level_switch_generation(upper, 0), 5);
  EXPECT_EQ(two_level_switch_generation(lower, 0), 0);
  EXPECT_EQ(two_level_switch_generation(lower, 1), 5);
  EXPECT_EQ(make_system(node).count(VertexKind::pci), 2);  // this one, and that of the other socket
  upper.device = "0xc031";
  tree = {upper};
  EXPECT_EQ(make_system(node).count(VertexKind::pci), 3);
}

TEST(NcclPaths, FollowNvlinkAndPcieByTypeThenBandwidth) {
  const Ways h100{switched_node({})};
  EXPECT_EQ(h100.gpus(0, 5).type, PathType::nvl);
  EXPECT_FLOAT_EQ(h100.gpus(0, 5).bandwidth, 370.8F);
  EXPECT_EQ(h100.gpus(0, 5).hops, 4);  // device, NVSwitch, device, rank
  EXPECT_EQ(h100.gpus(3, 3).type, PathType::loc);
  EXPECT_EQ(h100.gpu_to_net(2, 2).type, PathType::pix);
  EXPECT_FLOAT_EQ(h100.gpu_to_net(2, 2).bandwidth, 48);  // PCIe, below the NIC's 50
}

TEST(NcclPaths, LeaveByTheNicOfAnotherGpuAndComeInThroughTheCpu) {
  const Ways h100{switched_node({})};
  EXPECT_EQ(h100.gpu_to_net(0, 1).type, PathType::pxn);
  EXPECT_EQ(h100.net_to_gpu(1, 0).type, PathType::phb);
  EXPECT_EQ(h100.net_to_gpu(4, 0).type, PathType::sys);
  const Ways without{switched_node({}), {.pxn_disable = true}};
  EXPECT_EQ(without.gpu_to_net(0, 1).type, PathType::phb);
}

TEST(NcclPaths, GoThroughAnotherGpuWhereTheCubeMeshHasNoLink) {
  const Ways dgx{dgx1_v100()};
  EXPECT_EQ(dgx.gpus(0, 3).type, PathType::nvl);
  EXPECT_FLOAT_EQ(dgx.gpus(0, 3).bandwidth, 40);  // two links of 20
  EXPECT_EQ(dgx.gpus(0, 7).type, PathType::nvb);
  EXPECT_FLOAT_EQ(dgx.gpus(0, 7).bandwidth, 40);  // 0-4-7 and 0-3-7: the first has two links each
  const Ways without{dgx1_v100(), {.nvb_disable = true, .net_disable_intra = true}};
  EXPECT_EQ(without.gpus(0, 7).type, PathType::sys);
  // QPI carries 6 GB/s, each NIC's PCIe 12: NCCL would rather take the network.
  const Ways network{dgx1_v100(), {.nvb_disable = true}};
  EXPECT_EQ(network.gpus(0, 7).type, PathType::net);
}

TEST(NcclPaths, OfGpusWithoutNvlinkGoThroughTheCpu) {
  const Ways pcie{pcie_node()};
  EXPECT_EQ(pcie.gpus(0, 1).type, PathType::phb);
  EXPECT_TRUE(pcie.gpus(0, 1).through_intel_root);
  EXPECT_EQ(pcie.gpus(0, 4).type, PathType::sys);
  EXPECT_FLOAT_EQ(pcie.gpus(0, 4).bandwidth, 10);  // UPI of Intel model 106
  EXPECT_FALSE(pcie.gpus(0, 4).through_intel_root);
}

TEST(NcclPaths, AFarNicWithoutGpuDirectIsReachedThroughTheGpusCpu) {
  const Ways near{switched_node({.nics = 8}), {.net_gdr_level = PathType::loc}};
  EXPECT_EQ(near.gpu_to_net(0, 0).type, PathType::phb);
  topology::NodeSpec node = switched_node({});
  node.cpus[0].pcie[0].children[0].gpu_direct = false;
  EXPECT_EQ(Ways(node).gpu_to_net(0, 0).type, PathType::phb);
  EXPECT_EQ(Ways(node).gpu_to_net(1, 1).type, PathType::pix);
}

TEST(NcclLocalNets, SpreadTheGpusOfASwitchOverItsNics) {
  // Two GPUs and two NICs on a switch: one NIC each, by number.
  const Ways a100{switched_node({.nic_gigabits = 200, .gpus_per_switch = 2})};
  for (int gpu = 0; gpu < 8; ++gpu) {
    EXPECT_EQ(local_nets(a100.system, a100.paths, a100.environment, gpu), std::vector{gpu});
    EXPECT_EQ(local_gpu(a100.system, a100.paths, a100.environment, gpu), gpu);
  }
  const Ways all{switched_node({.nic_gigabits = 200, .gpus_per_switch = 2}),
                 {.net_devices = NetDevicesPolicy::all}};
  EXPECT_EQ(local_nets(all.system, all.paths, all.environment, 1), (std::vector{1, 0}));
}

TEST(NcclLinkBudget, AnIntelRootComplexCostsAFifthMoreOnPcie) {
  // 24 GB/s of PCIe Gen4: two flows of 10 over the CPU take 12 each.
  const Ways pcie{pcie_node()};
  LinkBudget budget(pcie.system, pcie.paths);
  const int a = pcie.system.vertex(VertexKind::gpu, 0), b = pcie.system.vertex(VertexKind::gpu, 1);
  EXPECT_TRUE(budget.take(a, b, 10));
  EXPECT_TRUE(budget.take(a, b, 10));
  EXPECT_FALSE(budget.take(a, b, 0.1F));
  budget.give_back(a, b, 10);
  EXPECT_TRUE(budget.take(a, b, 10));
}

TEST(NcclLinkBudget, BeforeAmpereANicsWritesCostAnEighthOfTheWayBack) {
  // 12 GB/s of PCIe Gen3: writing 12 into the GPU leaves 12 - 12/8 = 10.5 for what it sends.
  const Ways dgx{dgx1_v100()};
  LinkBudget budget(dgx.system, dgx.paths);
  const int gpu = dgx.system.vertex(VertexKind::gpu, 0),
            net = dgx.system.vertex(VertexKind::net, 0);
  EXPECT_TRUE(budget.take(net, gpu, 12));
  EXPECT_FALSE(budget.take(gpu, net, 10.6F));
  EXPECT_TRUE(budget.take(gpu, net, 10.5F));
}

TEST(NcclNames, LevelsAreNamesOrTheOldNumbers) {
  EXPECT_EQ(parse_level("NVL"), PathType::nvl);
  EXPECT_EQ(parse_level("SYS"), PathType::sys);
  EXPECT_EQ(parse_level("0"), PathType::loc);
  EXPECT_EQ(parse_level("3"), PathType::phb);
  EXPECT_EQ(parse_level("9"), PathType::sys);
  EXPECT_EQ(parse_level("nvl"), std::nullopt);
  EXPECT_EQ(parse_level("NET"), std::nullopt);
  EXPECT_EQ(parse_level(""), std::nullopt);
}

}  // namespace
}  // namespace railyard::collectives::nccl
