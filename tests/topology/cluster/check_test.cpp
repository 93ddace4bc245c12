#include "topology/cluster/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/config_path.hpp"
#include "tests/topology/small_cluster.hpp"

namespace railyard::topology {
namespace {

using namespace literals;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two nodes of two NICs on a leaf per rail, both leaves on one spine.
FabricSpec two_rails() {
  return {.kind = FabricKind::explicit_list,
          .switches = {{.name = "rail0", .tier = 1},
                       {.name = "rail1", .tier = 1},
                       {.name = "top", .tier = 2}},
          .cables = {{.a = "node0/nic0", .b = "rail0", .bandwidth = 400_Gbps},
                     {.a = "node0/nic1", .b = "rail1", .bandwidth = 400_Gbps},
                     {.a = "node1/nic0", .b = "rail0", .bandwidth = 400_Gbps},
                     {.a = "node1/nic1", .b = "rail1", .bandwidth = 400_Gbps},
                     {.a = "node2/nic0", .b = "rail0", .bandwidth = 400_Gbps},
                     {.a = "node2/nic1", .b = "rail1", .bandwidth = 400_Gbps},
                     {.a = "rail0", .b = "top", .bandwidth = 400_Gbps},
                     {.a = "rail1", .b = "top", .bandwidth = 400_Gbps}}};
}

std::vector<Finding> check_of(const FabricSpec& fabric) {
  return check(build_cluster(small_spec(3, 2, fabric)));
}

TEST(Check, SoundFabricHasNoFindings) { EXPECT_THAT(check_of(two_rails()), IsEmpty()); }

TEST(Check, SwappedRailsAreFound) {
  FabricSpec fabric = two_rails();
  std::swap(fabric.cables[4].b, fabric.cables[5].b);
  const std::vector<Finding> found = check_of(fabric);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, FindingKind::mismatched_rail);
  EXPECT_EQ(found[0].message,
            "node2/nic1 belongs to rail 1, but rail0 is the leaf of rail 0 (2 of its 3 NICs)");
  EXPECT_THAT(found[1].message, HasSubstr("node2/nic0 belongs to rail 0, but rail1"));
}

TEST(Check, GpusWithoutAWayAreFound) {
  FabricSpec fabric = two_rails();
  fabric.cables.erase(fabric.cables.begin() + 4, fabric.cables.begin() + 6);
  const std::vector<Finding> found = check_of(fabric);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::unreachable);
  EXPECT_EQ(found[0].message,
            "2 of 6 GPUs cannot be reached from node0/gpu0, the first of them node2/gpu0");
}

TEST(Check, SwitchesWithNothingBelowAreFound) {
  FabricSpec fabric = two_rails();
  fabric.switches.push_back({.name = "lonely", .tier = 3});
  fabric.switches.push_back({.name = "empty", .tier = 1});
  fabric.cables.push_back({.a = "empty", .b = "top", .bandwidth = 400_Gbps});
  const std::vector<Finding> found = check_of(fabric);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].message, "lonely has no links");
  EXPECT_EQ(found[1].message, "empty has nothing connected below it");
}

// 400 Gb/s is 50 GB/s; Gen4 x16 is 16 x 16 x 128/130 / 8 = 31.5 GB/s.
TEST(Check, NicsFasterThanTheirPcieLinkAreFound) {
  ClusterSpec spec = small_spec(3, 2, two_rails());
  spec.node_specs[0].cpus[0].pcie[1].children[1].link_speed = "16.0 GT/s PCIe";
  const std::vector<Finding> found = check(build_cluster(spec));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::slow_pcie);
  EXPECT_THAT(found[0].message, HasSubstr("node0/nic1 has ports of 400 Gb/s"));
}

// Three NVLinks one way, one the other.
TEST(Check, LinksThatDifferByDirectionAreFound) {
  ClusterSpec spec = small_spec(3, 2, two_rails());
  spec.node_specs[0].nvlinks = {{.gpu = 0, .peer = 1, .count = 3},
                                {.gpu = 1, .peer = 0, .count = 1}};
  const std::vector<Finding> found = check(build_cluster(spec));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::asymmetric);
  EXPECT_EQ(found[0].message,
            "node0/gpu0 -> node0/gpu1 has 60 GB/s, but 20 GB/s in the other direction (also in all "
            "other nodes of this type)");
}

class ShippedClusterCheck : public testing::TestWithParam<std::string> {};

TEST_P(ShippedClusterCheck, HasNoFindings) {
  for (const Finding& finding : check(build_cluster(read_cluster(GetParam()))))
    ADD_FAILURE() << finding.message;
}

INSTANTIATE_TEST_SUITE_P(All, ShippedClusterCheck,
                         testing::ValuesIn(core::config_names("clusters")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace railyard::topology
