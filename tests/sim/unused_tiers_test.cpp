#include "sim/unused_tiers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two leaves of four nodes with one 400 Gb/s NIC each.
topology::Cluster two_leaves(double oversubscription) {
  return testing::cluster(8, 1, leaf_spine(4, oversubscription));
}

std::vector<std::string> notes_of(const topology::Cluster& cluster, const Pairs& pairs) {
  const auto send = sends(cluster, 50_MB, pairs);
  const collectives::Task task{.schedule = &send, .start = {}, .name = {}};
  return notes_on_unused_tiers(cluster, FlowNetwork(cluster).run({&task, 1}));
}

// One of four sends leaves the leaf: a quarter of the traffic. At 2:1 half of it could.
TEST(UnusedTiers, TrafficThatStaysOnALeafDoesNotTestItsUplinks) {
  const auto notes = notes_of(two_leaves(2), {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("only 25 % of the traffic goes above the leaf switches, which "
                                  "are 2:1 oversubscribed"));
}

TEST(UnusedTiers, TrafficThatCrossesUplinksHasNoNote) {
  EXPECT_THAT(notes_of(two_leaves(2), {{0, 4}, {1, 5}, {2, 6}, {3, 7}}), IsEmpty());
  EXPECT_THAT(notes_of(two_leaves(4), {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), IsEmpty());
}

TEST(UnusedTiers, AFabricWithoutOversubscriptionHasNoNote) {
  EXPECT_THAT(notes_of(two_leaves(1), {{0, 1}, {1, 2}}), IsEmpty());
}

}  // namespace
}  // namespace railyard::sim
