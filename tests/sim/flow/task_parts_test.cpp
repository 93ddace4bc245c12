#include "sim/flow/task_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/diagnostic.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::Run;
using collectives::Schedule;
using collectives::Task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::optional<TaskParts> parts_of(const topology::Cluster& cluster, const std::vector<Task>& tasks,
                                  const FlowOptions& options = {}) {
  FlowWorkspaces workspaces(cluster, options, 1);
  return independent_parts(tasks, options, cluster.link_count(), workspaces, 1);
}

/// A leaf for each two nodes of one GPU, as many uplinks as downlinks.
topology::Cluster pairs_under_leaves(int nodes) {
  return testing::cluster(nodes, 1, leaf_spine(2));
}

TEST(TaskParts, TasksOnDifferentLeavesHaveNoLinkInCommon) {
  const auto cluster = pairs_under_leaves(6);
  const auto a = sends(cluster, 1_MB, {{0, 1}});
  const auto b = sends(cluster, 1_MB, {{2, 3}});
  const auto c = sends(cluster, 1_MB, {{1, 0}});  // other directions of a's links
  const auto parts = parts_of(cluster, {{&a, {}, ""}, {&b, {}, ""}, {&c, {}, ""}});
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->parts.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_THAT(parts->parts[i].tasks, ElementsAre(i));
    // GPU, PCIe switch, NIC, leaf, and back: six links.
    EXPECT_EQ(parts->parts[i].links.size(), 6U);
    for (std::size_t l = 0; l < parts->parts[i].links.size(); ++l)
      EXPECT_EQ(parts->number_of[parts->parts[i].links[l].index()], l);
  }
}

TEST(TaskParts, SharingIsPassedOn) {
  // 0 -> 1 and 0 -> 3 share node 0's way up, 0 -> 3 and 2 -> 3 node 3's way down; 4 -> 5 is apart.
  const auto cluster = pairs_under_leaves(6);
  const auto a = sends(cluster, 1_MB, {{0, 1}});
  const auto apart = sends(cluster, 1_MB, {{4, 5}});
  const auto b = sends(cluster, 1_MB, {{2, 3}});
  const auto bridge = sends(cluster, 1_MB, {{0, 3}});
  const auto parts =
      parts_of(cluster, {{&a, {}, ""}, {&apart, {}, ""}, {&b, {}, ""}, {&bridge, {}, ""}});
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->parts.size(), 2U);
  EXPECT_THAT(parts->parts[0].tasks, ElementsAre(0U, 2U, 3U));
  EXPECT_THAT(parts->parts[1].tasks, ElementsAre(1U));
  EXPECT_FALSE(parts_of(cluster, {{&a, {}, ""}, {&bridge, {}, ""}}));  // one part is no parts
  EXPECT_FALSE(parts_of(cluster, {{&a, {}, ""}}));
}

TEST(TaskParts, WaysAfterAFaultCountToo) {
  // From leaf 0 to leaf 1 over one of two spines each, by destination: 0 -> 2 and 1 -> 3 differ.
  const auto cluster = pairs_under_leaves(4);
  const auto a = sends(cluster, 1_MB, {{0, 2}});
  const auto b = sends(cluster, 1_MB, {{1, 3}});
  const std::vector<Task> tasks{{&a, {}, ""}, {&b, {}, ""}};
  ASSERT_TRUE(parts_of(cluster, tasks));
  FlowOptions options;
  options.faults = {
      {1_ms, {.failed = topology::find_links(cluster, "pod0/spine0"), .degraded = {}}}};
  EXPECT_FALSE(parts_of(cluster, tasks, options));  // both over spine 1 from then on
}

TEST(TaskParts, WaysThatDependOnOtherWaysAreNotCut) {
  const auto cluster = pairs_under_leaves(4);
  const auto a = sends(cluster, 1_MB, {{0, 1}});
  const auto b = sends(cluster, 1_MB, {{2, 3}});
  const std::vector<Task> tasks{{&a, {}, ""}, {&b, {}, ""}};
  EXPECT_TRUE(parts_of(cluster, tasks, {.routing = {.policy = topology::RoutingPolicy::ecmp}}));
  EXPECT_FALSE(
      parts_of(cluster, tasks, {.routing = {.policy = topology::RoutingPolicy::balanced}}));
  EXPECT_FALSE(
      parts_of(cluster, tasks, {.routing = {.policy = topology::RoutingPolicy::adaptive}}));
  EXPECT_FALSE(parts_of(cluster, tasks, {.timeline = true}));
}

// What cross_all() in task_parts.cpp rests on.
TEST(TaskParts, LaterIterationsGoOverTheConnectionsOfTheFirst) {
  const auto cluster = testing::cluster(4, 2, leaf_spine(2));
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  int repeated = 0;
  for (const auto& algorithm : collectives::algorithms()) {
    for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::broadcast, Kind::all_to_all, Kind::send_recv}) {
      if (!algorithm.supports(kind) ||
          !algorithm.why_not({cluster, group, {.kind = kind, .bytes = 8_MB}, {}}).empty())
        continue;
      const auto built = schedule(cluster, algorithm.name, {.kind = kind, .bytes = 8_MB});
      for (const auto& channel : built.channels()) {
        for (const auto& loop : channel.loops) {
          for (std::uint64_t k = 1; k < loop.repeat; ++k) {
            ++repeated;
            for (const auto& step : loop.steps) {
              for (std::uint64_t i = 0; i < step.size(); ++i) {
                const auto first = step.at(i, 0);
                const auto later = step.at(i, k);
                ASSERT_EQ(std::tuple(first.source, first.destination, first.relay, first.source_nic,
                                     first.destination_nic),
                          std::tuple(later.source, later.destination, later.relay, later.source_nic,
                                     later.destination_nic))
                    << algorithm.name;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(repeated, 100);
}

/// Jobs on random groups of neighbours that seldom overlap, at random times; faults strike while
/// they run.
struct RandomJobs {
  explicit RandomJobs(unsigned seed) : random(seed), cluster(make_cluster()) {
    options.routing = {
        .policy = pick(0, 1) == 0 ? topology::RoutingPolicy::ecmp : topology::RoutingPolicy::rail,
        .qps = pick(1, 2),
        .seed = seed};
    options.certify = true;
    options.expand = pick(0, 3) == 0;
    options.coalesce = pick(0, 4) == 0 ? 1e-6 : 0;
    const int ranks = static_cast<int>(cluster.rank_count());
    for (int first = 0; first < ranks;) {
      const int size = std::min(pick(1, 8), ranks - first);
      add_job(first, size);
      first += pick(0, 7) == 0 ? size / 2 + 1 : size;  // now and then an overlap
    }
    for (int i = pick(0, 2); i > 0; --i) add_fault();
    for (std::size_t i = 0; i < schedules.size(); ++i)
      tasks.push_back({.schedule = &schedules[i],
                       .start = Time::from_seconds(i % 3 == 0 ? 0 : 1e-5 * pick(0, 200)),
                       .name = {}});
  }

  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random); }
  topology::Cluster make_cluster() {
    // Drawn one by one: the order of arguments differs between compilers.
    const int oversubscription = pick(1, 2), nodes_per_leaf = 2 * pick(1, 2);
    const int gpus = pick(1, 4), nodes = 2 * pick(2, 8);
    return testing::cluster(nodes, gpus, leaf_spine(nodes_per_leaf, oversubscription),
                            {.launch = 3_us, .network = 1_us});
  }
  void add_job(int first, int size) {
    std::vector<Rank> members;
    for (int i = 0; i < size; ++i) members.emplace_back(first + i);
    const auto group = std::make_shared<const collectives::Group>(cluster, members);
    const std::pair<const char*, Kind> kinds[] = {{"ring", Kind::all_reduce},
                                                  {"ring", Kind::all_gather},
                                                  {"direct", Kind::all_to_all},
                                                  {"tree", Kind::broadcast}};
    const auto& [algorithm, kind] = kinds[pick(0, 3)];
    const collectives::Collective collective{.kind = kind, .bytes = Bytes(40'004 * pick(1, 2000))};
    schedules.push_back(collectives::build_schedule(
        algorithm, {cluster, group, collective, {.channels = pick(1, 2)}}));
  }
  void add_fault() {
    topology::TimedFault fault{.at = Time::from_seconds(1e-5 * pick(0, 300)), .faults = {}};
    if (pick(0, 1) == 0) {
      fault.faults.failed = topology::find_links(cluster, "pod0/spine0 -> pod0/leaf0");
    } else {
      const LinkId link(pick(0, static_cast<int>(cluster.link_count()) - 1));
      fault.faults.degraded = {{link, 0.1 * pick(2, 10)}};
    }
    options.faults.push_back(fault);
  }
  Run run(int threads) {
    options.threads = threads;
    return FlowNetwork(cluster, options).run(tasks);
  }

  std::mt19937 random;
  topology::Cluster cluster;
  FlowOptions options;
  std::vector<Schedule> schedules;
  std::vector<Task> tasks;
};

void expect_same(const Run& a, const Run& b) {
  ASSERT_EQ(a.tasks.size(), b.tasks.size());
  for (std::size_t i = 0; i < a.tasks.size(); ++i) {
    EXPECT_EQ(a.tasks[i].start, b.tasks[i].start);
    EXPECT_EQ(a.tasks[i].finish, b.tasks[i].finish) << i;
    EXPECT_EQ(a.tasks[i].bound_by.text, b.tasks[i].bound_by.text) << i;
    EXPECT_EQ(a.tasks[i].bound_by.link, b.tasks[i].bound_by.link) << i;
    EXPECT_EQ(a.tasks[i].bound_by.utilisation, b.tasks[i].bound_by.utilisation) << i;
  }
  ASSERT_EQ(a.link_loads.size(), b.link_loads.size());
  for (std::size_t i = 0; i < a.link_loads.size(); ++i) {
    EXPECT_EQ(a.link_loads[i].link, b.link_loads[i].link);
    EXPECT_EQ(a.link_loads[i].bytes, b.link_loads[i].bytes);
  }
  EXPECT_EQ(a.notes, b.notes);
}

TEST(TaskParts, ResultsAreTheSameToTheBitOnAnyNumberOfThreads) {
  int cut = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomJobs jobs(seed);
    const collectives::Run alone = jobs.run(1);
    if (alone.notes[0].find("without a link in common") != std::string::npos) ++cut;
    for (const int threads : {2, 3, 8}) expect_same(jobs.run(threads), alone);
    if (HasFailure()) return;
  }
  EXPECT_GT(cut, 30);
}

TEST(TaskParts, PartsEndAsTheyWouldBesideEachOther) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomJobs jobs(seed);
    jobs.options.coalesce = 0;  // merging takes in completions of all that runs together
    const collectives::Run apart = jobs.run(2);
    jobs.options.timeline = true;  // samples all links at once: not cut
    const collectives::Run together = jobs.run(2);
    EXPECT_EQ(together.notes[0].find("in common"), std::string::npos);
    for (std::size_t i = 0; i < jobs.tasks.size(); ++i) {
      const double expected = together.tasks[i].finish.seconds();
      EXPECT_NEAR(apart.tasks[i].finish.seconds(), expected, 1e-9 * expected + 2e-12) << i;
    }
    ASSERT_EQ(apart.link_loads.size(), together.link_loads.size());
    for (std::size_t i = 0; i < apart.link_loads.size(); ++i) {
      EXPECT_EQ(apart.link_loads[i].link, together.link_loads[i].link);
      EXPECT_NEAR(apart.link_loads[i].bytes, together.link_loads[i].bytes,
                  1e-9 * together.link_loads[i].bytes + 1e-3);
    }
    if (HasFailure()) return;
  }
}

TEST(TaskParts, WhatGoesWrongInAPartIsTheSameOnAnyNumberOfThreads) {
  // Node 2 is cut off at 1 ms: tasks 1 and 3 cannot go on; task 1 comes first.
  const auto cluster = pairs_under_leaves(8);
  std::vector<Schedule> schedules;
  std::vector<Task> tasks;
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf)
    schedules.push_back(sends(cluster, 100_MB, {{2 * leaf, 2 * leaf + 1}}));
  for (const Schedule& schedule : schedules) tasks.push_back({&schedule, {}, ""});
  FlowOptions options;
  options.faults = {
      {1_ms, {.failed = topology::find_links(cluster, "node2/nic0"), .degraded = {}}},
      {1_ms, {.failed = topology::find_links(cluster, "node6/nic0"), .degraded = {}}}};
  std::string expected;
  for (const int threads : {1, 2, 3, 8}) {
    options.threads = threads;
    std::string text;
    try {
      (void)FlowNetwork(cluster, options).run(tasks);
    } catch (const InputError& error) {
      text = error.diagnostics().front().message;
    }
    EXPECT_THAT(text, HasSubstr("node2"));
    if (threads == 1) expected = text;
    EXPECT_EQ(text, expected);
  }
}

}  // namespace
}  // namespace railyard::sim
