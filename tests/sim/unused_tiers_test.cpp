#include "sim/unused_tiers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"
#include "topology/cluster/faults.hpp"

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
  EXPECT_THAT(notes[0], HasSubstr("only 25 % of the traffic crosses the links above the leaf "
                                  "switches. They are oversubscribed 2:1"));
}

TEST(UnusedTiers, TrafficThatCrossesUplinksHasNoNote) {
  EXPECT_THAT(notes_of(two_leaves(2), {{0, 4}, {1, 5}, {2, 6}, {3, 7}}), IsEmpty());
  EXPECT_THAT(notes_of(two_leaves(4), {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), IsEmpty());
}

// Three sends stay below their leaf, each over a NIC of its own; the two that go up share an uplink
// by the hash of ECMP, which is as busy as both NICs together. The note would contradict bound_by.
TEST(UnusedTiers, AnUplinkThatCollisionsFillHasNoNote) {
  const auto cluster = two_leaves(4);
  collectives::Run run;
  const auto load = [&](const char* selector, std::int64_t bytes) {
    const LinkId link = topology::find_links(cluster, selector).front();
    run.link_loads.push_back({.link = link, .bytes = static_cast<double>(bytes), .busy = {}});
  };
  for (const char* nic : {"node0/nic0 -> pod0/leaf0", "node1/nic0 -> pod0/leaf0",
                          "node2/nic0 -> pod0/leaf0", "node3/nic0 -> pod0/leaf0"})
    load(nic, 100);
  load("pod0/leaf0 -> pod0/spine0", 99);
  EXPECT_THAT(notes_on_unused_tiers(cluster, run), ::testing::SizeIs(1));
  run.link_loads.back().bytes = 101;
  EXPECT_THAT(notes_on_unused_tiers(cluster, run), IsEmpty());
}

TEST(UnusedTiers, AFabricWithoutOversubscriptionHasNoNote) {
  EXPECT_THAT(notes_of(two_leaves(1), {{0, 1}, {1, 2}}), IsEmpty());
}

}  // namespace
}  // namespace railyard::sim
