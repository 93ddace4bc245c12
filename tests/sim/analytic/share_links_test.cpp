#include "sim/analytic/share_links.hpp"

#include <gtest/gtest.h>

#include "sim/analytic/analytic_network.hpp"
#include "sim/flow/flow_network.hpp"
#include "sim/link_capacity.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Task;

// 50 MB over a port of 50 GB/s take 1 ms; two of them together 2 ms, as fair sharing has it.
TEST(ShareLinks, TwoTasksOnOnePortTakeTwiceAsLong) {
  const auto cluster = single_switch(4, 1);
  const auto there = sends(cluster, 50_MB, {{0, 1}});
  const auto elsewhere = sends(cluster, 50_MB, {{2, 3}});
  const std::vector<Task> tasks{{&there, {}, "a"}, {&there, {}, "b"}, {&elsewhere, {}, "c"}};
  const auto run = AnalyticNetwork(cluster).run(tasks);
  EXPECT_NEAR(duration(run, 0).microseconds(), 2000, 1e-3);
  EXPECT_NEAR(duration(run, 1).microseconds(), 2000, 1e-3);
  EXPECT_NEAR(duration(run, 2).microseconds(), 1000, 1e-3);
  EXPECT_EQ(overloaded_link(cluster, run), "");
  const auto flow = FlowNetwork(cluster).run(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    EXPECT_NEAR(duration(run, i).microseconds(), duration(flow, i).microseconds(), 1e-3) << i;
}

// The second begins when the first is done: nothing is missing.
TEST(ShareLinks, TasksOneAfterAnotherKeepTheirTime) {
  const auto cluster = single_switch(2, 1);
  const auto send = sends(cluster, 50_MB, {{0, 1}});
  const std::vector<Task> tasks{{&send, {}, "a"}, {&send, 1_ms, "b"}};
  const auto run = AnalyticNetwork(cluster).run(tasks);
  EXPECT_NEAR(duration(run, 0).microseconds(), 1000, 1e-3);
  EXPECT_NEAR(duration(run, 1).microseconds(), 1000, 1e-3);
}

TEST(OverloadedLink, NamesTheLinkThatCarriedMoreThanItCan) {
  const auto cluster = single_switch(2, 1);
  const LinkId port = link(cluster, "node0/nic0 -> pod0/leaf0");
  collectives::Run run;
  run.tasks.push_back({.start = {}, .finish = 1_ms, .bound_by = {}});
  run.link_loads.push_back(link_load(port, 50e6, cluster.link(port).bandwidth));
  EXPECT_EQ(overloaded_link(cluster, run), "");
  run.link_loads.front() = link_load(port, 51e6, cluster.link(port).bandwidth);
  EXPECT_EQ(overloaded_link(cluster, run),
            "node0/nic0 -> pod0/leaf0 is busy 1.02 times as long as the run");
}

}  // namespace
}  // namespace railyard::sim
