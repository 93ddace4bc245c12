#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "core/diagnostic.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"
#include "tests/sim/two_nics.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Run;
using collectives::Task;
using ::testing::HasSubstr;

Run run(const topology::Cluster& cluster, std::vector<Task> tasks, FlowOptions options = {}) {
  options.certify = true;
  return FlowNetwork(cluster, std::move(options)).run(tasks);
}

Run run(const topology::Cluster& cluster, const collectives::Schedule& schedule,
        FlowOptions options = {}) {
  return run(cluster, {{.schedule = &schedule, .start = {}, .name = {}}}, std::move(options));
}

TEST(Contention, TwoJobsOnOneLinkEachGetHalf) {
  // 50 MB each from node 0 to node 1: 1 ms alone. The second starts at 0.5 ms: the first has 25 MB
  // left and takes 1 ms more at half rate; the second then has 25 MB left, at full rate until 2 ms.
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  const auto result = run(cluster, {{&send, {}, "first"}, {&send, 500_us, "second"}});
  EXPECT_EQ(result.tasks[0].finish, 1500_us);
  EXPECT_EQ(result.tasks[1].finish, 2_ms);
  // The first job's span is 1.5 ms, in which the link carried 25 + 50 MB of the possible 75 MB.
  EXPECT_DOUBLE_EQ(result.tasks[0].bound_by.utilisation, 1.0);
  EXPECT_DOUBLE_EQ(result.tasks[1].bound_by.utilisation, 1.0);
}

TEST(Contention, CollectivesOnOverlappingGpusShareTheirLinks) {
  // Two ring all-reduces on the same 4 nodes: twice as long as one (n = 4, 50 MB pieces: 6 ms).
  const auto cluster = single_switch(4, 1);
  const auto ring = schedule(cluster, "ring", {.bytes = 200_MB}, {.channels = 1});
  const auto result = run(cluster, {{&ring, {}, "a"}, {&ring, {}, "b"}});
  EXPECT_EQ(result.tasks[0].finish, 12_ms);
  EXPECT_EQ(result.tasks[1].finish, 12_ms);
}

/// Two leaves of two nodes, 400 Gb/s ports, two spines over 200 Gb/s links (2:1).
topology::Cluster thin_uplinks() {
  auto spec = leaf_spine(2, 2.0);
  spec.fabric_bandwidth = 200_Gbps;
  return testing::cluster(4, 1, spec);
}

/// How many leaf-to-spine links of leaf 0 a send from node 0 to node 2 uses with two queue pairs.
std::size_t uplinks_used(const topology::Cluster& cluster, const Run& result) {
  std::size_t used = 0;
  for (const auto& load : result.link_loads)
    used += cluster.name(load.link).starts_with("pod0/leaf0 -> pod0/spine") ? 1 : 0;
  return used;
}

TEST(Contention, TwoQueuePairsThatCollideOnAnUplinkHalveTheRate) {
  // 50 MB over two uplinks of 25 GB/s: 1 ms; over one: 2 ms. Which it is depends on the hash.
  const auto cluster = thin_uplinks();
  const auto send = sends(cluster, 50_MB, {{0, 2}});
  std::optional<Time> apart, together;
  for (std::uint64_t seed = 1; seed <= 64 && !(apart && together); ++seed) {
    const auto result =
        run(cluster, send,
            {.routing = {.policy = topology::RoutingPolicy::ecmp, .qps = 2, .seed = seed}});
    const auto used = uplinks_used(cluster, result);
    ASSERT_TRUE(used == 1 || used == 2);
    (used == 1 ? together : apart) = duration(result);
  }
  ASSERT_TRUE(apart && together);
  EXPECT_EQ(*apart, 1_ms);
  EXPECT_EQ(*together, 2_ms);
}

/// Two leaves of two nodes and two spines, all 400 Gb/s; nodes 0 and 1 send 50 MB (1 ms) to 2
/// and 3.
struct Crossing {
  topology::Cluster cluster = testing::cluster(4, 1, leaf_spine(2));
  collectives::Schedule send = sends(cluster, 50_MB, {{0, 2}, {1, 3}});
};

TEST(Contention, AFailureAtHalfTimeMovesTheStreamOntoTheOtherWay) {
  // Until 0.5 ms each has an uplink of its own; then both share one: 25 MB each at 25 GB/s.
  const Crossing crossing;
  const auto fault = topology::parse_failure(crossing.cluster, "pod0/leaf0 -- pod0/spine0@500us");
  const auto result = run(crossing.cluster, crossing.send, {.faults = {fault}});
  EXPECT_EQ(duration(result), 1500_us);
  // The failed uplink carried half of one, the other one all of the other and half of the first.
  EXPECT_DOUBLE_EQ(carried(result, link(crossing.cluster, "pod0/leaf0 -> pod0/spine0")), 25e6);
  EXPECT_DOUBLE_EQ(carried(result, link(crossing.cluster, "pod0/leaf0 -> pod0/spine1")), 75e6);
}

TEST(Contention, RoutingAvoidsAFailedLinkAfterItsConvergenceTime) {
  // 25 MB are left at 0.5 ms and wait until 1.5 ms; the other send has ended then: 0.5 ms more.
  const Crossing crossing;
  const auto fault = topology::parse_failure(crossing.cluster, "pod0/leaf0 -- pod0/spine0@500us");
  for (const bool expand : {false, true}) {
    const auto result = run(crossing.cluster, crossing.send,
                            {.faults = {fault}, .convergence = 1_ms, .expand = expand});
    EXPECT_EQ(duration(result), 2_ms);
  }
}

TEST(Contention, AGpuWithTwoNicsGoesOnByTheOther) {
  // Two NICs of 25 GB/s: 50 MB in 1 ms. Half of it is left when one fails: 25 MB by 25 GB/s, 1 ms.
  const auto cluster = testing::two_nics(fabric(topology::FabricKind::single_switch));
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  EXPECT_EQ(duration(run(cluster, send, {})), 1_ms);
  for (const char* nic : {"node0/nic1@500us", "node1/nic0@500us"}) {
    const auto fault = topology::parse_failure(cluster, nic);
    EXPECT_EQ(duration(run(cluster, send, {.faults = {fault}})), 1500_us) << nic;
  }
}

TEST(Contention, AFailureFromTheStartIsNeverCrossed) {
  const Crossing crossing;
  const auto fault = topology::parse_failure(crossing.cluster, "pod0/leaf0 -- pod0/spine0");
  const auto result = run(crossing.cluster, crossing.send, {.faults = {fault}});
  EXPECT_EQ(duration(result), 2_ms);
  EXPECT_EQ(carried(result, link(crossing.cluster, "pod0/leaf0 -> pod0/spine0")), 0);
}

TEST(Contention, AnExpandedRunSurvivesTheSameFailure) {
  const Crossing crossing;
  const auto fault = topology::parse_failure(crossing.cluster, "pod0/leaf0 -- pod0/spine0@500us");
  EXPECT_EQ(duration(run(crossing.cluster, crossing.send, {.faults = {fault}, .expand = true})),
            1500_us);
}

TEST(Contention, ARingGoesOnOverTheOtherSpineAfterAFailure) {
  // Ring 0 1 2 3 over two leaves: 1 -> 2 and 3 -> 0 cross the spine layer, each way by its own
  // uplink; both leaves keep one way of 50 GB/s: nothing slows down (n = 4, 50 MB pieces: 6 ms).
  const Crossing crossing;
  const auto ring = schedule(crossing.cluster, "ring", {.bytes = 200_MB}, {.channels = 1});
  const auto fault = topology::parse_failure(crossing.cluster, "pod0/leaf0 -- pod0/spine0@3ms");
  const auto result = run(crossing.cluster, ring, {.faults = {fault}});
  EXPECT_EQ(duration(result), 6_ms);
  // 2 (n - 1) pieces of 50 MB leave leaf 0 in all, whichever way.
  EXPECT_DOUBLE_EQ(carried(result, link(crossing.cluster, "pod0/leaf0 -> pod0/spine0")) +
                       carried(result, link(crossing.cluster, "pod0/leaf0 -> pod0/spine1")),
                   300e6);
}

TEST(Contention, NoWayLeftIsAnErrorThatNamesTheEnds) {
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  const auto fault = topology::parse_failure(cluster, "node1/nic0@500us");
  try {
    (void)run(cluster, send, {.faults = {fault}});
    FAIL() << "ran without a way";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("node1"));
  }
}

TEST(Contention, ADegradedNicSlowsTheWholeRing) {
  // n = 4, 6 ms alone. Half the bandwidth from 3 ms on: the other half takes 6 ms.
  const auto cluster = single_switch(4, 1);
  const auto ring = schedule(cluster, "ring", {.bytes = 200_MB}, {.channels = 1});
  const auto from_start = topology::parse_degradation(cluster, "node2/nic0:0.5");
  const auto later = topology::parse_degradation(cluster, "node2/nic0:0.5@3ms");
  EXPECT_EQ(duration(run(cluster, ring, {.faults = {from_start}})), 12_ms);
  const auto result = run(cluster, ring, {.faults = {later}});
  EXPECT_EQ(duration(result), 9_ms);
  EXPECT_THAT(result.tasks[0].bound_by.text, HasSubstr("node2/nic0"));
}

TEST(Contention, ASlowGpuIsADegradationOfItsLinks) {
  // NVLink of GPU 3 at a quarter: the ring of 8 (14 ms, see flow_network_test) takes four times as
  // long.
  const auto cluster = single_switch(1, 8);
  const auto ring = schedule(cluster, "ring", {.bytes = 2880_MB}, {.channels = 1});
  const auto slow = topology::parse_degradation(cluster, "node0/gpu3:0.25");
  EXPECT_EQ(duration(run(cluster, ring, {.faults = {slow}})), 56_ms);
}

}  // namespace
}  // namespace railyard::sim
