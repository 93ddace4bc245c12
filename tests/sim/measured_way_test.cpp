#include "sim/measured_way.hpp"

#include <gtest/gtest.h>

#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Transfer;
using topology::LinkKind;

// Two nodes of two GPUs on an NVSwitch: ranks 0, 1 and 2, 3; GPU g and NIC g share PCIe switch g.
class MeasuredWays : public ::testing::Test {
 protected:
  [[nodiscard]] bool speaks_of(std::string_view selector, const Transfer& transfer,
                               LinkKind inside = LinkKind::nvlink) const {
    return MeasuredWay(cluster_, any_, transfer, inside)
        .has(cluster_.link(link(cluster_, selector)));
  }

  topology::Cluster cluster_ = single_switch(2, 2);
  collectives::Schedule any_ = sends(cluster_, 1_MB, {{0, 1}});
};

TEST_F(MeasuredWays, TheWayToANicIsMeasuredWhereItIsTheNearest) {
  EXPECT_TRUE(speaks_of("node0/gpu0 -> node0/pcie0", {.source = 0, .destination = 2}));
  const Transfer near{.source = 0, .destination = 2, .source_nic = 0, .destination_nic = 0};
  EXPECT_TRUE(speaks_of("node0/pcie0 -> node0/nic0", near));
  EXPECT_TRUE(speaks_of("node1/nic0 -> node1/pcie0", near));
}

TEST_F(MeasuredWays, TheWayToAFarNicIsNotAndTheOtherEndIs) {
  const Transfer far_out{.source = 0, .destination = 2, .source_nic = 1};
  EXPECT_FALSE(speaks_of("node0/pcie0 -> node0/cpu0", far_out));
  EXPECT_FALSE(speaks_of("node0/gpu0 -> node0/pcie0", far_out));
  EXPECT_TRUE(speaks_of("node1/pcie0 -> node1/gpu0", far_out));
  const Transfer far_in{.source = 0, .destination = 2, .destination_nic = 1};
  EXPECT_TRUE(speaks_of("node0/gpu0 -> node0/pcie0", far_in));
  EXPECT_FALSE(speaks_of("node1/cpu0 -> node1/pcie0", far_in));
  EXPECT_TRUE(MeasuredWay(cluster_, any_, far_in, LinkKind::nvlink).takes_far_nic());
}

TEST_F(MeasuredWays, ARelayOnTheNicsOwnSwitchMakesItNear) {
  const Transfer by_pxn{.source = 0, .destination = 3, .relay = 1, .source_nic = 1};
  EXPECT_TRUE(speaks_of("node0/gpu1 -> node0/pcie1", by_pxn));
  EXPECT_TRUE(speaks_of("node0/gpu0 -> node0/nvswitch", by_pxn));
  EXPECT_FALSE(MeasuredWay(cluster_, any_, by_pxn, LinkKind::nvlink).takes_far_nic());
}

TEST_F(MeasuredWays, PcieBetweenGpusIsMeasuredWhereTheyMeetByIt) {
  const Transfer inside{.source = 0, .destination = 1};
  EXPECT_TRUE(speaks_of("node0/gpu0 -> node0/nvswitch", inside));
  EXPECT_FALSE(speaks_of("node0/gpu0 -> node0/pcie0", inside));
  EXPECT_TRUE(speaks_of("node0/gpu0 -> node0/pcie0", inside, LinkKind::pcie));
  EXPECT_FALSE(MeasuredWay(cluster_, any_, inside, LinkKind::nvlink).takes_far_nic());
}

}  // namespace
}  // namespace railyard::sim
