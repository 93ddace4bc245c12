#include "topology/cluster/lost_nics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/node/without_nic.hpp"

namespace railyard::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ClusterSpec shipped(const std::string& name, int nodes) {
  return read_cluster(RAILYARD_SOURCE_DIR "/configs/clusters/" + name + ".json", nodes);
}

std::vector<int> rails(const NodeShape& shape) {
  std::vector<int> rails;
  for (int nic = 0; nic < shape.nic_count(); ++nic) rails.push_back(shape.rail_of_nic(nic));
  return rails;
}

TEST(LostNics, TheOthersStayOnTheirRails) {
  const auto cluster = build_cluster(without_nic(shipped("dgx_h100_ndr400", 4), {2, 3}));
  EXPECT_EQ(cluster.node_count(), 4u);
  EXPECT_THAT(rails(cluster.shape(NodeId(2))), ElementsAre(0, 1, 2, 4, 5, 6, 7));
  for (const std::size_t node : {0, 1, 3})
    EXPECT_THAT(rails(cluster.shape(NodeId(node))), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(LostNics, TwoOfANodeMayFail) {
  const auto spec = without_nic(without_nic(shipped("dgx_h100_ndr400", 2), {0, 7}), {0, 0});
  EXPECT_THAT(rails(build_cluster(spec).shape(NodeId(0))), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(LostNics, CablesOfAnExplicitFabricFollow) {
  const auto lost = without_nic(
      read_cluster(RAILYARD_SOURCE_DIR "/configs/examples/two_sites_h100.json"), {1, 2});
  const auto cluster = build_cluster(lost);
  ASSERT_EQ(cluster.shape(NodeId(1)).nic_count(), 7);
  for (int nic = 0; nic < 7; ++nic)
    EXPECT_FALSE(cluster.out_links(cluster.nic(NodeId(1), nic)).empty()) << nic;
}

TEST(LostNics, TheOnlyNicOfANodeCannotBeLost) {
  try {
    (void)without_nic(shipped("pcie8_gen4", 2), {1, 0});
    FAIL() << "a node without a NIC";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("node1/nic0 is the only NIC"));
  }
}

TEST(LostNics, ReadsWholeNicsOnly) {
  EXPECT_EQ(parse_nic("node3/nic12"), (NicName{3, 12}));
  for (const char* other :
       {"node3/nic1 -- pod0/leaf1", "node3", "node3/nic", "pod0/leaf1", "node3/nic1#0"})
    EXPECT_FALSE(parse_nic(other)) << other;
  EXPECT_TRUE(parse_nic_failure("node3/nic1")->at_start);
  EXPECT_TRUE(parse_nic_failure("node3/nic1@0s")->at_start);
  EXPECT_FALSE(parse_nic_failure(" node3/nic1 @ 2ms")->at_start);
}

// One unit of 32 nodes on eight rails: leaf 3 is the only switch of NIC 3 of each of four nodes.
TEST(LostNics, AFailedLeafCutsOffTheNicsOfItsRail) {
  const auto cluster = build_cluster(shipped("dgx_h100_ndr400", 4));
  const std::vector<LinkId> failed = find_links(cluster, "pod0/leaf3");
  EXPECT_THAT(cut_off_nics(cluster, failed),
              ElementsAre(NicName{0, 3}, NicName{1, 3}, NicName{2, 3}, NicName{3, 3}));
  EXPECT_TRUE(are_dead(cluster, find_links(cluster, "pod0/leaf3 -- pod0/spine0"), failed));
  EXPECT_TRUE(are_dead(cluster, find_links(cluster, "node2/nic3"), failed));
  EXPECT_FALSE(are_dead(cluster, find_links(cluster, "pod0/spine0"), failed));
}

TEST(LostNics, ACableBetweenSwitchesCutsNothingOff) {
  const auto cluster = build_cluster(shipped("dgx_h100_ndr400", 4));
  EXPECT_THAT(cut_off_nics(cluster, find_links(cluster, "pod0/leaf3 -- pod0/spine0")), IsEmpty());
}

// Of three failed NICs one has a time: the others are gone, and node0/nic5 is then node0/nic3. The
// degraded NIC keeps its cable under its new number.
TEST(LostNics, TextsOfFailuresFromTheStartAreTakenOut) {
  FaultTexts texts{{"node0/nic1", "node0/nic5@2ms", "node0/nic4", "pod0/leaf0"},
                   {"node0/nic7:0.5"}};
  const auto spec = without_lost_nics(shipped("dgx_h100_ndr400", 2), texts);
  EXPECT_EQ(build_cluster(spec).shape(NodeId(0)).nic_count(), 6);
  EXPECT_THAT(texts.failures, ElementsAre("node0/nic3@2ms", "pod0/leaf0"));
  EXPECT_THAT(texts.degradations, ElementsAre("node0/nic5:0.5"));
}

// The leaf of rail 3 is replaced by its NICs, and its cable with it. A cable between switches that
// still carry traffic, and a leaf that fails during the run, stay.
TEST(LostNics, FailuresThatCutOffNicsAreReplaced) {
  const auto cluster = build_cluster(shipped("dgx_h100_ndr400", 2));
  std::vector<TimedFault> failures;
  for (const char* text :
       {"pod0/leaf3", "pod0/leaf3 -- pod0/spine0", "pod0/leaf0 -- pod0/spine0", "pod0/leaf2@1ms"})
    failures.push_back(parse_failure(cluster, text));
  const CutOff cut = cut_off_by(cluster, failures);
  EXPECT_THAT(cut.nics, ElementsAre("node0/nic3", "node1/nic3"));
  EXPECT_THAT(cut.is_replaced, ElementsAre(true, true, false, false));
  EXPECT_THAT(cut_off_by(cluster, {}).nics, IsEmpty());
}

// The highest number first: removing it leaves the numbers of the others.
TEST(LostNics, DisconnectedNicsReplaceTheFailuresThatDisconnectThem) {
  const CutOff cut{.nics = {"node0/nic2", "node0/nic3"}, .is_replaced = {true, false}};
  EXPECT_THAT(with_cut_off_nics({"pod0/leaf3", "pod0/spine0"}, cut),
              ElementsAre("pod0/spine0", "node0/nic3", "node0/nic2"));
  EXPECT_EQ(to_text(cut),
            "failed links cut off 2 NICs (node0/nic2, node0/nic3): NCCL starts without them");
  EXPECT_EQ(to_text(CutOff{.nics = {"node0/nic2"}, .is_replaced = {}}),
            "failed links cut off 1 NIC (node0/nic2): NCCL starts without it");
}

// A NIC of a dual-plane fabric keeps the port of the other plane.
TEST(LostNics, ANicWithAnotherPortIsNotCutOff) {
  const auto cluster = build_cluster(shipped("dual_plane_h800", 2));
  EXPECT_THAT(cut_off_nics(cluster, find_links(cluster, "plane0/pod0/leaf0")), IsEmpty());
}

TEST(LostNics, SelectorsGetTheNewNumbers) {
  EXPECT_EQ(renumbered("node3/nic5 -- pod0/leaf5", {3, 1}), "node3/nic4 -- pod0/leaf5");
  EXPECT_EQ(renumbered("node3/nic1:0.5@1ms", {3, 1}), "node3/nic1:0.5@1ms");
  EXPECT_EQ(renumbered("node33/nic5", {3, 1}), "node33/nic5");
}

}  // namespace
}  // namespace railyard::topology
