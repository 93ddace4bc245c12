#include "sim/fitted_links.hpp"

#include <gtest/gtest.h>

#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Transfer;
using topology::LinkKind;

// Two nodes of two GPUs on an NVSwitch: ranks 0, 1 and 2, 3; GPU g and NIC g share PCIe switch g.
class FittedLinksOfATransfer : public ::testing::Test {
 protected:
  [[nodiscard]] bool covers(std::string_view selector, const Transfer& transfer,
                            LinkKind inside = LinkKind::nvlink) const {
    return FittedLinks(cluster_, any_, transfer, inside)
        .covers(cluster_.link(link(cluster_, selector)));
  }

  topology::Cluster cluster_ = single_switch(2, 2);
  collectives::Schedule any_ = sends(cluster_, 1_MB, {{0, 1}});
};

TEST_F(FittedLinksOfATransfer, TheWayToANicIsMeasuredWhereItIsTheNearest) {
  EXPECT_TRUE(covers("node0/gpu0 -> node0/pcie0", {.source = 0, .destination = 2}));
  const Transfer near{.source = 0, .destination = 2, .source_nic = 0, .destination_nic = 0};
  EXPECT_TRUE(covers("node0/pcie0 -> node0/nic0", near));
  EXPECT_TRUE(covers("node1/nic0 -> node1/pcie0", near));
}

TEST_F(FittedLinksOfATransfer, TheWayToAFarNicIsNotAndTheOtherEndIs) {
  const Transfer far_out{.source = 0, .destination = 2, .source_nic = 1};
  EXPECT_FALSE(covers("node0/pcie0 -> node0/cpu0", far_out));
  EXPECT_FALSE(covers("node0/gpu0 -> node0/pcie0", far_out));
  EXPECT_TRUE(covers("node1/pcie0 -> node1/gpu0", far_out));
  const Transfer far_in{.source = 0, .destination = 2, .destination_nic = 1};
  EXPECT_TRUE(covers("node0/gpu0 -> node0/pcie0", far_in));
  EXPECT_FALSE(covers("node1/cpu0 -> node1/pcie0", far_in));
  EXPECT_TRUE(FittedLinks(cluster_, any_, far_in, LinkKind::nvlink).uses_far_nic());
}

TEST_F(FittedLinksOfATransfer, ARelayOnTheNicsOwnSwitchMakesItNear) {
  const Transfer by_pxn{.source = 0, .destination = 3, .relay = 1, .source_nic = 1};
  EXPECT_TRUE(covers("node0/gpu1 -> node0/pcie1", by_pxn));
  EXPECT_TRUE(covers("node0/gpu0 -> node0/nvswitch", by_pxn));
  EXPECT_FALSE(FittedLinks(cluster_, any_, by_pxn, LinkKind::nvlink).uses_far_nic());
}

TEST_F(FittedLinksOfATransfer, PcieBetweenGpusIsMeasuredWhereTheyMeetByIt) {
  const Transfer inside{.source = 0, .destination = 1};
  EXPECT_TRUE(covers("node0/gpu0 -> node0/nvswitch", inside));
  EXPECT_FALSE(covers("node0/gpu0 -> node0/pcie0", inside));
  EXPECT_TRUE(covers("node0/gpu0 -> node0/pcie0", inside, LinkKind::pcie));
  EXPECT_FALSE(FittedLinks(cluster_, any_, inside, LinkKind::nvlink).uses_far_nic());
}

}  // namespace
}  // namespace railyard::sim
