#include "topology/node/node_paths.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {
namespace {

using namespace literals;

NodeShape shape_of(const std::string& node) { return NodeShape(read_node(node)); }

std::vector<DeviceKind> kinds_along(const NodeShape& shape, const NodePath& path) {
  std::vector<DeviceKind> kinds;
  for (const std::uint32_t link : path.links)
    kinds.push_back(shape.devices()[shape.links()[link].to.index()].kind);
  return kinds;
}

Bandwidth gigabytes(double value) { return Bandwidth::from_gigabytes_per_second(value); }

// The published matrix (nvidia-smi topo -m of a DGX-1 with V100): NVLinks between each pair.
constexpr std::array<std::array<int, 8>, 8> kCubeMesh{{{0, 1, 1, 2, 2, 0, 0, 0},
                                                       {1, 0, 2, 1, 0, 2, 0, 0},
                                                       {1, 2, 0, 2, 0, 0, 1, 0},
                                                       {2, 1, 2, 0, 0, 0, 0, 1},
                                                       {2, 0, 0, 0, 0, 1, 1, 2},
                                                       {0, 2, 0, 0, 1, 0, 2, 1},
                                                       {0, 0, 1, 0, 1, 2, 0, 2},
                                                       {0, 0, 0, 1, 2, 1, 2, 0}}};

TEST(NodeShape, Dgx1HasTheHybridCubeMesh) {
  const NodeShape shape = shape_of("dgx1_v100");
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      const int links = kCubeMesh[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
      if (links == 0) continue;
      const NodePath path = shape.gpu_to_gpu(a, b);
      EXPECT_EQ(path.type, PathType::nvl) << a << b;
      EXPECT_EQ(path.bandwidth, 20_GBps * links) << a << b;  // NCCL: 20 GB/s a link
      EXPECT_EQ(path.links.size(), 1U);
    }
  }
}

// GPUs without a link of their own go through a common neighbour: NVB, as wide as the narrower of
// the two hops on the best neighbour. 0-5: over 1 (1 and 2 links) or 4 (2 and 1): 20 GB/s.
// 0-7: over 3 (2 and 1) or 4 (2 and 2): 40 GB/s over 4. 1-6: over 2 (2, 1) or 5 (2, 2): 40 over 5.
TEST(NodeShape, Dgx1PairsWithoutNvlinkGoThroughOneGpu) {
  const NodeShape shape = shape_of("dgx1_v100");
  EXPECT_EQ(shape.gpu_to_gpu(0, 5).type, PathType::nvb);
  EXPECT_EQ(shape.gpu_to_gpu(0, 5).bandwidth, 20_GBps);
  const NodePath wide = shape.gpu_to_gpu(0, 7);
  EXPECT_EQ(wide.type, PathType::nvb);
  EXPECT_EQ(wide.bandwidth, 40_GBps);
  EXPECT_EQ(shape.links()[wide.links[0]].to, DeviceId(4));
  EXPECT_EQ(shape.links()[shape.gpu_to_gpu(1, 6).links[0]].to, DeviceId(5));
  EXPECT_EQ(shape.gpu_to_gpu(1, 6).bandwidth, 40_GBps);
}

// Two GPUs and one NIC a switch, all Gen3 x16 (12 GB/s): PIX to the own one, PHB to the other of
// the socket, SYS across (QPI of Broadwell: 6 GB/s).
TEST(NodeShape, Dgx1NicsAreOneSwitchAway) {
  const NodeShape shape = shape_of("dgx1_v100");
  EXPECT_EQ(shape.gpu_to_nic(0, 0).type, PathType::pix);
  EXPECT_EQ(shape.gpu_to_nic(0, 0).bandwidth, 12_GBps);
  EXPECT_EQ(shape.gpu_to_nic(0, 1).type, PathType::phb);
  EXPECT_EQ(shape.gpu_to_nic(0, 2).type, PathType::sys);
  EXPECT_EQ(shape.gpu_to_nic(0, 2).bandwidth, 6_GBps);
  for (int gpu = 0; gpu < 8; ++gpu) EXPECT_EQ(shape.nearest_nic(gpu), gpu / 2);
}

// 18 links of 20.6 GB/s; Gen5 x16 48 GB/s.
TEST(NodeShape, DgxH100GpusMeetOnTheNvswitchAndHaveANicEach) {
  const NodeShape shape = shape_of("dgx_h100");
  ASSERT_EQ(shape.gpu_count(), 8);
  ASSERT_EQ(shape.nic_count(), 8);
  for (int a = 0; a < 8; ++a) {
    EXPECT_EQ(shape.nearest_nic(a), a);
    EXPECT_EQ(shape.gpu_to_nic(a, a).type, PathType::pix);
    EXPECT_EQ(shape.gpu_to_nic(a, a).bandwidth, 48_GBps);
    for (int b = 0; b < 8; ++b) {
      if (a == b) continue;
      const NodePath path = shape.gpu_to_gpu(a, b);
      EXPECT_EQ(path.type, PathType::nvl);
      EXPECT_EQ(path.bandwidth, gigabytes(370.8));
      EXPECT_EQ(kinds_along(shape, path), (std::vector{DeviceKind::nvswitch, DeviceKind::gpu}));
    }
  }
  // Another NIC of the socket: over the CPU. Across the sockets: UPI of Sapphire Rapids, 22 GB/s.
  EXPECT_EQ(shape.gpu_to_nic(0, 3).type, PathType::phb);
  EXPECT_EQ(shape.gpu_to_nic(0, 4).type, PathType::sys);
  EXPECT_EQ(shape.gpu_to_nic(0, 4).bandwidth, 22_GBps);
}

// 8 links of 20.6 instead of 18.
TEST(NodeShape, HgxH800HasEightLinksAGpu) {
  EXPECT_EQ(shape_of("hgx_h800").gpu_to_gpu(0, 7).bandwidth, gigabytes(164.8));
}

// 18 x 40.1.
TEST(NodeShape, DgxB200HasFifthGenerationLinks) {
  EXPECT_EQ(shape_of("dgx_b200").gpu_to_gpu(0, 7).bandwidth, gigabytes(721.8));
}

// Two GPUs and two NICs a switch (Gen4 x16: 24 GB/s): both NICs are equally near, so the two GPUs
// that share them start at dev mod 2.
TEST(NodeShape, DgxA100PairsShareTwoNicsAndTakeOneEach) {
  const NodeShape shape = shape_of("dgx_a100");
  for (int gpu = 0; gpu < 8; ++gpu) {
    EXPECT_EQ(shape.nearest_nic(gpu), gpu);
    EXPECT_EQ(shape.gpu_to_nic(gpu, gpu ^ 1).type, PathType::pix);
    EXPECT_EQ(shape.gpu_to_nic(gpu, gpu).bandwidth, 24_GBps);
    EXPECT_EQ(shape.gpus_of_nic(gpu), std::vector{gpu});
  }
  EXPECT_EQ(shape.gpu_to_gpu(0, 7).bandwidth, 240_GBps);  // 12 x 20
}

// GPUs 0-3 on the NIC's socket (PHB, 24 GB/s), 4-7 across UPI of Ice Lake (model 106 >= 0x55: 10).
TEST(NodeShape, TwoSocketPcieServerReachesItsNicThroughTheCpus) {
  const NodeShape shape = shape_of("pcie8_gen4");
  ASSERT_EQ(shape.nic_count(), 1);
  EXPECT_EQ(shape.gpu_to_nic(3, 0).type, PathType::phb);
  EXPECT_EQ(shape.gpu_to_nic(3, 0).bandwidth, 24_GBps);
  EXPECT_EQ(shape.gpu_to_nic(4, 0).type, PathType::sys);
  EXPECT_EQ(shape.gpu_to_nic(4, 0).bandwidth, 10_GBps);
  EXPECT_EQ(shape.gpu_to_gpu(0, 1).type, PathType::phb);
  EXPECT_EQ(shape.gpu_to_gpu(0, 4).type, PathType::sys);
  EXPECT_EQ(kinds_along(shape, shape.gpu_to_gpu(0, 4)),
            (std::vector{DeviceKind::cpu, DeviceKind::cpu, DeviceKind::gpu}));
  for (int gpu = 0; gpu < 8; ++gpu) EXPECT_EQ(shape.nearest_nic(gpu), 0);
}

// 18 trays of 4: one NVSwitch, 36 CPUs, 72 NICs. A GPU reaches the NICs of its Grace over C2C and
// PCIe (P2C), those of the other Grace over the socket link (SYS), those of other trays not at all.
TEST(NodeShape, Nvl72IsOneNvlinkDomainOfEighteenHosts) {
  const NodeShape shape = shape_of("gb200_nvl72");
  EXPECT_EQ(shape.spec().hosts, 18);
  ASSERT_EQ(shape.gpu_count(), 72);
  ASSERT_EQ(shape.nic_count(), 72);
  EXPECT_EQ(shape.devices().size(), 72U + 1 + 36 + 72);
  // 72 NVLinks + 72 C2C + 144 PCIe + 18 socket cables, two directions each
  EXPECT_EQ(shape.links().size(), 2U * (72 + 72 + 144 + 18));
  EXPECT_EQ(shape.gpu_to_gpu(0, 71).type, PathType::nvl);
  EXPECT_EQ(shape.gpu_to_gpu(0, 71).bandwidth, gigabytes(721.8));
  EXPECT_EQ(shape.gpu_to_nic(0, 0).type, PathType::p2c);
  EXPECT_EQ(shape.gpu_to_nic(0, 0).bandwidth, 48_GBps);
  EXPECT_EQ(shape.gpu_to_nic(0, 2).type, PathType::sys);
  EXPECT_EQ(shape.gpu_to_nic(0, 4).type, PathType::dis);
  EXPECT_TRUE(shape.gpu_to_nic(0, 4).links.empty());
  std::set<int> taken;
  for (int gpu = 0; gpu < 72; ++gpu) taken.insert(shape.nearest_nic(gpu));
  EXPECT_EQ(taken.size(), 72U);  // each GPU has a NIC of its own
}

TEST(NodeShape, PathsFromNicsAreTheReverseOfPathsToThem) {
  for (const std::string node : {"dgx1_v100", "dgx_h100", "pcie8_gen4", "gb200_nvl72"}) {
    const NodeShape shape = shape_of(node);
    for (int nic = 0; nic < shape.nic_count(); ++nic) {
      const NodePath there = shape.gpu_to_nic(0, nic);
      const NodePath back = shape.nic_to_gpu(nic, 0);
      ASSERT_EQ(there.links.size(), back.links.size());
      for (std::size_t i = 0; i < there.links.size(); ++i)
        EXPECT_EQ(shape.links()[there.links[i]].reverse.value(),
                  back.links[back.links.size() - 1 - i]);
    }
  }
}

TEST(NodeShape, LinksOfAPathFollowEachOther) {
  for (const std::string node : {"dgx1_v100", "dgx_a100", "pcie4_gen4", "gb200_nvl72"}) {
    const NodeShape shape = shape_of(node);
    for (int a = 0; a < shape.gpu_count(); ++a) {
      for (int b = 0; b < shape.gpu_count(); ++b) {
        DeviceId at(a);
        for (const std::uint32_t link : shape.gpu_to_gpu(a, b).links) {
          EXPECT_EQ(shape.links()[link].from, at);
          at = shape.links()[link].to;
        }
        EXPECT_EQ(at, DeviceId(b));
      }
    }
  }
}

// Two ports of one card share its PCIe link: both are one switch away (PIX), over the same uplink.
TEST(NodeShape, PortsOfOneCardShareItsPcieLink) {
  NodeSpec spec = read_node("pcie4_gen4");
  PcieSpec& nic = spec.cpus[0].pcie.back();
  nic.nets.push_back({.name = "mlx5_1", .dev = 1, .bandwidth = 100_Gbps});
  const NodeShape shape(spec);
  ASSERT_EQ(shape.nic_count(), 2);
  const NodePath first = shape.gpu_to_nic(0, 0), second = shape.gpu_to_nic(0, 1);
  EXPECT_EQ(first.type, PathType::phb);
  ASSERT_EQ(first.links.size(), 3U);  // GPU to CPU to card to port
  EXPECT_EQ(first.links[1], second.links[1]);
}

}  // namespace
}  // namespace railyard::topology
