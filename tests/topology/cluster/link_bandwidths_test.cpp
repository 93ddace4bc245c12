#include "topology/cluster/link_bandwidths.hpp"

#include <gtest/gtest.h>

namespace railyard::topology {
namespace {

using namespace literals;

// lanes x code / 80 with codes 15, 30, 60, 120, 240, 480
TEST(LinkBandwidths, PcieDoublesWithEachGeneration) {
  EXPECT_EQ(pcie_bandwidth("2.5 GT/s PCIe", 16), 3_GBps);
  EXPECT_EQ(pcie_bandwidth("5.0 GT/s PCIe", 16), 6_GBps);
  EXPECT_EQ(pcie_bandwidth("8.0 GT/s PCIe", 16), 12_GBps);
  EXPECT_EQ(pcie_bandwidth("8 GT/s", 8), 6_GBps);  // older kernels
  EXPECT_EQ(pcie_bandwidth("16.0 GT/s PCIe", 16), 24_GBps);
  EXPECT_EQ(pcie_bandwidth("32.0 GT/s PCIe", 16), 48_GBps);
  EXPECT_EQ(pcie_bandwidth("64.0 GT/s PCIe", 16), 96_GBps);
}

TEST(LinkBandwidths, UnknownPcieIsGen3WithSixteenLanes) {
  EXPECT_EQ(pcie_bandwidth("", 0), 12_GBps);
  EXPECT_EQ(pcie_bandwidth("Unknown", 16), 12_GBps);
  EXPECT_FALSE(pcie_transfer_rate("7 GT/s"));
  EXPECT_FALSE(pcie_transfer_rate("32.0"));
}

TEST(LinkBandwidths, NvlinkFollowsTheComputeCapability) {
  EXPECT_EQ(nvlink_bandwidth(70) * 6, 120_GBps);
  EXPECT_EQ(nvlink_bandwidth(80) * 12, 240_GBps);
  EXPECT_EQ(nvlink_bandwidth(86), 12_GBps);
  EXPECT_EQ(nvlink_bandwidth(89), 20_GBps);
  EXPECT_EQ(nvlink_bandwidth(90) * 18, Bandwidth::from_gigabytes_per_second(370.8));
  EXPECT_EQ(nvlink_bandwidth(103) * 18, Bandwidth::from_gigabytes_per_second(721.8));
}

Bandwidth between(std::string arch, std::string vendor, int family, int model) {
  CpuSpec cpu;
  cpu.arch = std::move(arch);
  cpu.vendor = std::move(vendor);
  cpu.family = family;
  cpu.model = model;
  return socket_bandwidth(cpu);
}

TEST(LinkBandwidths, SocketsFollowVendorAndModel) {
  EXPECT_EQ(between("x86_64", "GenuineIntel", 6, 0x4F), 6_GBps);   // Broadwell
  EXPECT_EQ(between("x86_64", "GenuineIntel", 6, 0x55), 10_GBps);  // Skylake
  EXPECT_EQ(between("x86_64", "GenuineIntel", 6, 0x8F), 22_GBps);  // Sapphire Rapids
  EXPECT_EQ(between("x86_64", "GenuineIntel", 6, 0xCF), 40_GBps);  // Emerald Rapids
  EXPECT_EQ(between("x86_64", "AuthenticAMD", 25, 1), 16_GBps);
  EXPECT_EQ(between("x86_64", "  Shanghai  ", 7, 0x5B), 9_GBps);
  EXPECT_EQ(between("x86_64", "CentaurHauls", 7, 0x3B), 6_GBps);
  EXPECT_EQ(between("arm64", "ARM", 0, 0), 6_GBps);
  EXPECT_EQ(between("ppc64", "IBM", 0, 0), 32_GBps);
}

// 16 GT/s x 16 lanes x 128/130 / 8 bits
TEST(LinkBandwidths, LineRateIsWhatTheLanesCarry) {
  PcieSpec nic;
  nic.link_speed = "16.0 GT/s PCIe";
  EXPECT_EQ(pcie_line_rate(nic), Bandwidth::from_gigabytes_per_second(32.0 * 128 / 130));
  nic.link_speed = "";
  EXPECT_FALSE(pcie_line_rate(nic));
}

}  // namespace
}  // namespace railyard::topology
