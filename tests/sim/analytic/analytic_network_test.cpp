#include "sim/analytic/analytic_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::Run;
using ::testing::HasSubstr;

Run run(const topology::Cluster& cluster, const collectives::Schedule& schedule,
        AnalyticOptions options = {}) {
  const collectives::Task task{.schedule = &schedule, .start = 1_ms, .name = {}};
  return AnalyticNetwork(cluster, std::move(options)).run({&task, 1});
}

TEST(AnalyticNetwork, RingAddsLatencyToBytesOverBandwidth) {
  // n = 4: 6 steps of 50 MB at 50 GB/s and 5 us; 10 us of launch.
  const auto cluster =
      single_switch(4, 1, {.launch = 10_us, .nvlink = {}, .pcie = {}, .network = 5_us});
  const auto result = run(cluster, schedule(cluster, "ring", {.bytes = 200_MB}, {.channels = 1}));
  EXPECT_EQ(result.tasks[0].start, 1_ms);
  EXPECT_EQ(duration(result), 6_ms + 40_us);
  EXPECT_THAT(result.tasks[0].bound_by.text, HasSubstr("nic0"));
  // 300 MB in 6.04 ms on a link of 50 GB/s.
  EXPECT_NEAR(result.tasks[0].bound_by.utilisation, 6.0 / 6.04, 1e-12);
}

TEST(AnalyticNetwork, StepsOfAnExchangeFollowOneAnother) {
  // All-reduce of S = 200 MB over 4 by halving and doubling: S/2, S/4, S/4, S/2 at 50 GB/s, 4 x 5
  // us.
  const auto cluster =
      single_switch(4, 1, {.launch = {}, .nvlink = {}, .pcie = {}, .network = 5_us});
  const auto exchange = halving_doubling_of_four(cluster, 200_MB);
  EXPECT_EQ(duration(run(cluster, exchange)), 6_ms + 20_us);
}

TEST(AnalyticNetwork, DegradedLinksTakeLonger) {
  const auto cluster = single_switch(4, 1);
  const auto fault = topology::parse_degradation(cluster, "node2/nic0:0.5");
  const auto result = run(cluster, schedule(cluster, "ring", {.bytes = 200_MB}, {.channels = 1}),
                          {.faults = fault.faults});
  EXPECT_EQ(duration(result), 12_ms);
  EXPECT_THAT(result.tasks[0].bound_by.text, HasSubstr("node2/nic0"));
}

TEST(AnalyticNetwork, SmallMessagesAreBoundByLatency) {
  const auto cluster =
      single_switch(4, 1, {.launch = {}, .nvlink = {}, .pcie = {}, .network = 5_us});
  const auto result = run(cluster, schedule(cluster, "ring", {.bytes = 4_KiB}, {.channels = 1}));
  EXPECT_EQ(result.tasks[0].bound_by.text, "latency");
}

// The second begins when the first has 25 MB left, which then go at 25 GB/s: 1.5 ms; so do 25 MB of
// the second, and the rest at 50 GB/s: 2 ms.
TEST(AnalyticNetwork, TasksOnOneLinkBothWaitForIt) {
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  const std::vector<collectives::Task> tasks{{&send, {}, "a"}, {&send, 500_us, "b"}};
  const auto result = AnalyticNetwork(cluster).run(tasks);
  EXPECT_EQ(result.tasks[0].finish, 1500_us);
  EXPECT_EQ(result.tasks[1].finish, 2_ms);
  EXPECT_EQ(carried(result, link(cluster, "node0/nic0 -> pod0/leaf0")), 100e6);
}

}  // namespace
}  // namespace railyard::sim
