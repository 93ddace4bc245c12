#include "topology/fabric/port_count.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/config_path.hpp"
#include "tests/topology/small_cluster.hpp"
#include "topology/cluster/check.hpp"
#include "topology/fabric/read_switch_model.hpp"

namespace railyard::topology {
namespace {

using namespace literals;
using testing::HasSubstr;
using testing::IsEmpty;

Cluster build(int nodes, int nics, FabricSpec fabric, const std::string& model = {}) {
  fabric.switch_model = model;
  std::vector<Diagnostic> problems;
  read_switch_models(fabric, "small.json", problems);
  EXPECT_THAT(problems, IsEmpty());
  return build_cluster(small_spec(nodes, nics, fabric));
}

// Units of 4 nodes of 8 NICs: leaves of 32 down and 32 up, all 64 ports; 2 leaves, so each of the
// 32 spines uses 2.
TEST(PortCount, UsedAndFreePortsOfEachTierAreCounted) {
  const Cluster cluster =
      build(8, 8, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 4}, "quantum2");
  const std::vector<TierPorts> tiers = count_ports(cluster);
  ASSERT_EQ(tiers.size(), 2U);
  EXPECT_EQ(tiers[0].down, 32);
  EXPECT_EQ(tiers[0].up, 32);
  EXPECT_EQ(tiers[0].share_of(*tiers[0].model)->free, 0);
  EXPECT_EQ(tiers[1].down, 2);
  EXPECT_EQ(tiers[1].share_of(*tiers[1].model)->free, 62);
  const std::vector<PortFinding> found = check_ports(cluster);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].problem, PortProblem::idle_ports);
  EXPECT_EQ(found[0].message,
            "each of 32 spine switches uses only 2 of 64 ports; 1 of them would be enough");
}

// Five nodes are 40 ports down and 40 up. The nearest on 64 ports keeps the five nodes and takes
// the 24 ports that are left: 40 down, 24 up, on three spines of 64 ports for 8 leaves of 8 links.
TEST(PortCount, PortsBeyondTheRadixComeWithTheNearestFabric) {
  const Cluster cluster =
      build(40, 8, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 5}, "quantum2");
  const std::vector<PortFinding> found = check_ports(cluster);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].problem, PortProblem::beyond_radix);
  EXPECT_EQ(found[0].tier, DeviceKind::leaf);
  EXPECT_THAT(found[0].message, HasSubstr("a leaf needs 80 ports (40 down, 40 up) of up to 400 "
                                          "Gb/s; NVIDIA QM9700 (Quantum-2) has 64"));
  EXPECT_THAT(found[0].message, HasSubstr("nearest that can be built: spines_per_pod 3 (now 40), "
                                          "leaf_oversubscription 1.66667 (now 1)"));
}

// 32 ports of 400 Gb/s up over 7 spines are uplinks of 1.83 Tb/s. 28 uplinks are 4 to each.
TEST(PortCount, UplinksOfOddRatesComeWithTheNearestFabric) {
  const Cluster cluster = build(40, 8,
                                {.kind = FabricKind::leaf_spine,
                                 .transport = Transport::roce,
                                 .nodes_per_unit = 4,
                                 .spines_per_pod = 7});
  const std::vector<PortFinding> found = check_ports(cluster);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].problem, PortProblem::odd_rate);
  EXPECT_THAT(found[0].message, HasSubstr("a leaf has 7 uplinks of 1828.6 Gb/s"));
  EXPECT_THAT(found[0].message, HasSubstr("nearest that can be built: spines_per_pod 8 (now 7)"));
}

// A named switch has port speeds, so its uplinks are never of an odd rate: the generator refuses.
TEST(PortCount, ANamedSwitchDoesNotGetUplinksOfOddRates) {
  try {
    static_cast<void>(
        build(40, 8, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 4, .spines_per_pod = 7},
              "quantum2"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().pointer, "/fabric/spines_per_pod");
    EXPECT_THAT(error.diagnostics().front().hint, HasSubstr("use 4 or 8"));
  }
}

// Six nodes of one NIC at 1.5:1 are four uplinks of the port's rate. At 12:1 they are half a link
// of 400 Gb/s, so one of 200 Gb/s.
TEST(PortCount, ANamedSwitchGivesUplinksTheSpeedThatComesOut) {
  const Cluster cluster = build(
      12, 1, {.kind = FabricKind::leaf_spine, .nodes_per_unit = 6, .leaf_oversubscription = 12},
      "quantum2");
  const std::vector<TierPorts> tiers = count_ports(cluster);
  EXPECT_EQ(tiers[0].up, 1);
  EXPECT_EQ(tiers[0].up_rate, 200_Gbps);
}

// 300 nodes on a rail are more than the 256 ports of any shipped fixed switch.
TEST(PortCount, AFabricWithoutASwitchIsComparedWithTheLargest) {
  FabricSpec fabric{.kind = FabricKind::rail_only, .transport = Transport::roce};
  const std::vector<PortFinding> found = check_ports(build(300, 1, fabric));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].problem, PortProblem::beyond_radix);
  EXPECT_THAT(found[0].message, HasSubstr("Tomahawk 6"));
  EXPECT_THAT(found[0].message,
              HasSubstr("has 256; a rail_only fabric of this switch connects at most 256 nodes"));
}

class ShippedFabric : public testing::TestWithParam<std::string> {};

TEST_P(ShippedFabric, CanBeBuilt) {
  for (const PortFinding& found : check_ports(build_cluster(read_cluster(GetParam()))))
    ADD_FAILURE() << found.message;
}

INSTANTIATE_TEST_SUITE_P(All, ShippedFabric, testing::ValuesIn(core::config_names("clusters")),
                         [](const auto& test) { return test.param; });

// The sizes up to which cluster files say that they grow.
TEST(PortCount, ShippedFabricsGrowToTheirStatedSizes) {
  const std::vector<std::pair<std::string, int>> sizes{
      {"dgx_h100_ndr400", 128}, {"dgx_b200_ndr400", 128},   {"dgx_b300_xdr800", 128},
      {"dgx_a100_hdr200", 100}, {"hgx_h200_roce400", 1024}, {"dual_plane_h800", 1920}};
  for (const auto& [name, nodes] : sizes)
    for (const PortFinding& found : check_ports(build_cluster(read_cluster(name, nodes))))
      ADD_FAILURE() << name << ": " << found.message;
  const auto beyond = check_ports(build_cluster(read_cluster("dgx_h100_ndr400", 160)));
  ASSERT_FALSE(beyond.empty());
  EXPECT_EQ(beyond[0].problem, PortProblem::beyond_radix);
  EXPECT_EQ(beyond[0].tier, DeviceKind::spine);
}

}  // namespace
}  // namespace railyard::topology
