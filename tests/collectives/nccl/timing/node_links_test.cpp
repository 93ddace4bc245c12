#include "collectives/nccl/timing/node_links.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/collectives/nccl_machine.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::collectives::nccl {
namespace {

using namespace topology::testing;

/// Two GPUs, each with a NIC of 50 GB/s on a PCIe switch of its own, on one CPU each; sockets of 22
/// GB/s (115 by data sheet). All PCIe of the given speed.
topology::NodeShape two_sockets(const std::string& speed) {
  topology::NodeSpec node = small_node(2);
  topology::CpuSpec second = node.cpus.front();
  for (auto* cpu : {&node.cpus.front(), &second}) {
    cpu->vendor = "GenuineIntel";
    cpu->family = 6;
    cpu->model = 143;
    for (auto& bridge : cpu->pcie) {
      bridge.link_speed = speed;
      for (auto& child : bridge.children) child.link_speed = speed;
    }
  }
  node.cpus.front().pcie.pop_back();
  second.numa = 1;
  second.pcie.erase(second.pcie.begin());
  node.cpus.push_back(second);
  return topology::NodeShape(node);
}

constexpr std::array kGpus{0, 1};

TEST(NodeLinks, NicsGetNoMoreThanTheLinksBeforeThem) {
  // Gen3: 14.4 GB/s of data to each NIC of 50.
  const auto slow = two_sockets("8.0 GT/s PCIe");
  const std::array rates{50.0, 50.0};
  EXPECT_NEAR(nic_limit(slow, kGpus, rates).rate, 2 * 16.0 * 128 / 130 * 256 / 280, 1e-6);
  // One NIC in use: all goes by its links.
  EXPECT_NEAR(nic_limit(slow, kGpus, std::array{50.0, 0.0}).rate, 16.0 * 128 / 130 * 256 / 280,
              1e-6);
  // Gen5 has more than the NICs need.
  EXPECT_GT(nic_limit(two_sockets("32.0 GT/s PCIe"), kGpus, rates).rate, 100);
}

TEST(NodeLinks, FarNicsAreReachedOverTheSocketsAtWhatNcclCounts) {
  // Half of what a GPU sends goes to the other socket's NIC: 22 GB of 44 take a second at 22 GB/s.
  const auto shape = two_sockets("32.0 GT/s PCIe");
  const auto far = slowest_link(exchange_links(shape, kGpus, NicRule::far), 0, 44e9);
  EXPECT_NEAR(far.microseconds, 1e6, 1);
  EXPECT_EQ(shape.links()[static_cast<std::size_t>(far.link)].kind, topology::LinkKind::socket);
  // By PXN it crosses NVLink, and leaves by PCIe of 57.6 GB/s.
  const auto relayed = slowest_link(exchange_links(shape, kGpus, NicRule::relayed), 0, 44e9);
  EXPECT_NEAR(relayed.microseconds, 44e9 / (64 * 128.0 / 130 * 256 / 280) / 1e3, 1);
}

TEST(NodeLinks, NvlinkCarriesWhatGoesToPeers) {
  // 450/370.8 of 18 x 20 GB/s.
  const auto shape = two_sockets("32.0 GT/s PCIe");
  const auto inside = slowest_link(exchange_links(shape, kGpus, NicRule::relayed), 1e9, 0);
  EXPECT_NEAR(inside.microseconds, 1e9 / (360 * 25 / 20.6) / 1e3, 1e-3);
}

TEST(NodeLinks, ASlowWayToTheNicsBindsTheTimeModel) {
  // 30/16 of 76 MB, at 190 GB/s instead of 360 inside and 380 of the NICs.
  Machine m = machine(2);
  m.nic_limit = {.rate = 190, .link = 7};
  const auto ring = collective_time(m, {.bytes = 76'000'000});
  EXPECT_NEAR(ring.bytes, 750, 1e-9);
  EXPECT_EQ(ring.bound, Bound::node_link);
  EXPECT_EQ(ring.node_link, 7);
}

TEST(NodeLinks, NvlsIsNoFasterThanNvlink) {
  // NVLink of 450 GB/s. Two GPUs: the switch reads S of each and each stores S/2: 1.5 S.
  Machine m = machine(1);
  m.link_limit = 450;
  m.ranks = 2;
  const auto reduces =
      collective_time(m, {.bytes = 300'000'000, .algorithm = TuningAlgorithm::nvls});
  EXPECT_NEAR(reduces.bytes, 1000, 1e-9);  // a bus bandwidth of 300 GB/s, not of 504
  // all_gather: all of S arrives at each GPU, its own block by the switch, too.
  m.ranks = 8;
  const auto gathers = collective_time(
      m, {.kind = Kind::all_gather, .bytes = 450'000'000, .algorithm = TuningAlgorithm::nvls});
  EXPECT_NEAR(gathers.bytes, 1000, 1e-9);
  // Eight GPUs: 9/8 of 288 MB in a millisecond are 324 GB/s, which NVLink carries.
  EXPECT_NEAR(collective_time(m, {.bytes = 288'000'000, .algorithm = TuningAlgorithm::nvls}).bytes,
              1000, 1e-9);
}

}  // namespace
}  // namespace railyard::collectives::nccl
