#include "topology/cluster/payload.hpp"

#include <gtest/gtest.h>

namespace railyard::topology {
namespace {

TEST(Payload, InfinibandAddsTwentySixBytes) {
  const FabricSpec fabric{.transport = Transport::infiniband, .mtu = 4096};
  EXPECT_DOUBLE_EQ(payload_fraction(fabric), 4096.0 / (4096 + 8 + 12 + 4 + 2));
}

TEST(Payload, RoceAddsEthernetIpAndUdp) {
  const FabricSpec fabric{.transport = Transport::roce, .mtu = 4096};
  EXPECT_EQ(packet_overhead(fabric), Bytes(8 + 14 + 20 + 8 + 12 + 4 + 4 + 12));
  EXPECT_DOUBLE_EQ(payload_fraction(fabric), 4096.0 / 4178);
}

// NVIDIA/deepops docs/k8s-cluster/roce-perf-k8s.md: ib_write_bw of a 100G ConnectX-5 shows 92.40
// Gb/s; its MTU of 1500 leaves RoCE 1024.
TEST(Payload, RoceOf1024BytesIsNearAMeasuredConnectX5) {
  const FabricSpec fabric{.transport = Transport::roce, .mtu = 1024};
  EXPECT_NEAR(100 * payload_fraction(fabric), 92.40, 0.3);
}

// A Linux host with timestamps has 1448 bytes of payload in 1538 bytes of wire time; a shaper that
// counts frames alone (tc tbf: 1514) says so with packet_overhead.
TEST(Payload, TcpCountsTimestampsAndTheOverheadCanBeGiven) {
  FabricSpec fabric{.transport = Transport::tcp, .mtu = 1448};
  EXPECT_DOUBLE_EQ(payload_fraction(fabric), 1448.0 / 1538);
  fabric.packet_overhead = Bytes(66);
  EXPECT_DOUBLE_EQ(payload_fraction(fabric), 1448.0 / 1514);
}

}  // namespace
}  // namespace railyard::topology
