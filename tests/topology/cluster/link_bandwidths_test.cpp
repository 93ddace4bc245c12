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

TEST(LinkBandwidths, PcieCarriesTheDataOfItsPackets) {
  // 16 lanes of 8 GT/s by 128b/130b: 15.754 GB/s; 256 of 280 bytes of a packet are data.
  PcieSpec card;
  card.link_speed = "8.0 GT/s PCIe";
  EXPECT_NEAR(pcie_payload_rate(card).gigabytes_per_second(), 16.0 * 128 / 130 * 256 / 280, 1e-6);
  // Every generation carries a fifth more than NCCL counts.
  for (const char* speed :
       {"2.5 GT/s PCIe", "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe"}) {
    card.link_speed = speed;
    EXPECT_NEAR(pcie_payload_rate(card).gigabytes_per_second() /
                    pcie_bandwidth(card).gigabytes_per_second(),
                1.2, 0.03)
        << speed;
  }
  card.bandwidth = 5_GBps;
  EXPECT_EQ(pcie_payload_rate(card), 5_GBps);
}

TEST(LinkBandwidths, NvlinkCarriesWhatItsDataSheetSays) {
  EXPECT_EQ(nvlink_line_rate(90) * 18, 450_GBps);   // H100: 900 GB/s in both directions
  EXPECT_EQ(nvlink_line_rate(100) * 18, 900_GBps);  // B200: 1800
  EXPECT_EQ(nvlink_line_rate(80) * 12, 300_GBps);   // A100: 600
  EXPECT_EQ(nvlink_line_rate(70) * 6, 150_GBps);    // V100: 300
}

Bandwidth line_between(std::string vendor, int family, int model) {
  CpuSpec cpu;
  cpu.vendor = std::move(vendor);
  cpu.family = family;
  cpu.model = model;
  return socket_line_rate(cpu);
}

TEST(LinkBandwidths, SocketsCarryMoreThanNcclCounts) {
  EXPECT_EQ(line_between("GenuineIntel", 6, 143), 115_GBps);  // 3 UPI of 16 GT/s x 19.2 / 8
  EXPECT_EQ(line_between("GenuineIntel", 6, 106), 67_GBps);   // 3 of 11.2 GT/s x 2 B
  EXPECT_EQ(line_between("GenuineIntel", 6, 85), 62_GBps);    // 3 of 10.4 GT/s x 2 B
  EXPECT_EQ(line_between("GenuineIntel", 6, 79), 38_GBps);    // 2 QPI of 9.6 GT/s x 2 B
  EXPECT_EQ(line_between("AuthenticAMD", 23, 49), 96_GBps);   // 3 xGMI of 16 GT/s x 16 / 8
  EXPECT_EQ(line_between("AuthenticAMD", 25, 17), 192_GBps);
  EXPECT_EQ(line_between("CentaurHauls", 7, 1), 6_GBps);  // not in the table: NCCL's count
}

}  // namespace
}  // namespace railyard::topology
