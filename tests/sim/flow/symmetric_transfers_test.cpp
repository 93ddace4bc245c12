#include "sim/flow/symmetric_transfers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

collectives::Run run(const topology::Cluster& cluster, const collectives::Schedule& schedule,
                     FlowOptions options) {
  options.certify = true;
  const collectives::Task task{.schedule = &schedule, .start = {}, .name = {}};
  return FlowNetwork(cluster, options).run({&task, 1});
}

/// An all-to-all whose transfers may be told of as sets, and the same with a timeline, for which
/// they are added one by one, end at the same time and load each link alike. Returns the first's
/// notes.
std::string compare(const topology::Cluster& cluster, std::string_view algorithm,
                    FlowOptions options = {}) {
  const auto all =
      schedule(cluster, algorithm, {.kind = collectives::Kind::all_to_all, .bytes = 72_MB});
  const auto told = run(cluster, all, options);
  options.timeline = true;
  const auto single = run(cluster, all, options);
  EXPECT_THAT(single.notes.front(), Not(HasSubstr("symmetric sets")));
  EXPECT_EQ(told.tasks[0].finish, single.tasks[0].finish);
  EXPECT_EQ(told.link_loads.size(), single.link_loads.size());
  for (std::size_t i = 0; i < std::min(told.link_loads.size(), single.link_loads.size()); ++i) {
    EXPECT_EQ(told.link_loads[i].link, single.link_loads[i].link);
    const double bytes = single.link_loads[i].bytes;
    EXPECT_NEAR(told.link_loads[i].bytes, bytes, 1e-9 * bytes)
        << cluster.name(told.link_loads[i].link);
  }
  EXPECT_NEAR(told.tasks[0].bound_by.utilisation, single.tasks[0].bound_by.utilisation, 1e-9);
  return told.notes.front();
}

/// 18 nodes of 4 GPUs on one switch: 5,112 transfers.
topology::Cluster seventy_two() { return single_switch(18, 4); }

TEST(SymmetricTransfers, ASymmetricAllToAllIsToldOfAsSets) {
  // Within a node; across, straight; with direct also from one rail to another.
  EXPECT_THAT(compare(seventy_two(), "direct"), HasSubstr("5112 streams folded into"));
  EXPECT_THAT(compare(seventy_two(), "direct"), HasSubstr("symmetric sets"));
  EXPECT_THAT(compare(seventy_two(), "rail_pxn"), HasSubstr("symmetric sets"));
  // 6 leaves of 3 nodes with 12 uplinks each.
  const auto clos = testing::cluster(18, 4, leaf_spine(3));
  compare(clos, "direct");
  compare(clos, "direct", {.routing = {.policy = topology::RoutingPolicy::spray}});
}

TEST(SymmetricTransfers, OneSlowLinkMakesThemUnlike) {
  const auto cluster = seventy_two();
  FlowOptions options;
  options.faults = {{.at = Time(), .faults = {.failed = {}, .degraded = {{LinkId(3), 0.5}}}}};
  EXPECT_THAT(compare(cluster, "direct", options), Not(HasSubstr("symmetric sets")));
}

TEST(SymmetricTransfers, HashedWaysAndLaterFaultsAreNotTold) {
  const auto clos = testing::cluster(18, 4, leaf_spine(3));
  EXPECT_THAT(compare(clos, "direct", {.routing = {.policy = topology::RoutingPolicy::ecmp}}),
              Not(HasSubstr("symmetric sets")));
  FlowOptions later;
  later.faults = {{.at = 100_us, .faults = {.failed = {}, .degraded = {{LinkId(3), 0.5}}}}};
  EXPECT_THAT(compare(seventy_two(), "direct", later), Not(HasSubstr("symmetric sets")));
}

TEST(SymmetricTransfers, PartsOfAClusterAreToldOfByThemselves) {
  // Two groups of 24 nodes on one switch have no link in common.
  const auto cluster = single_switch(48, 4);
  std::vector<collectives::Schedule> schedules;
  for (std::uint32_t first = 0; first < 192; first += 96) {
    std::vector<Rank> members;
    for (std::uint32_t i = 0; i < 96; ++i) members.emplace_back(first + i);
    const auto group = std::make_shared<const collectives::Group>(cluster, members);
    schedules.push_back(collectives::build_schedule(
        "direct", {cluster, group, {.kind = collectives::Kind::all_to_all, .bytes = 96_MB}, {}}));
  }
  std::vector<collectives::Task> tasks;
  for (const auto& one : schedules) tasks.push_back({.schedule = &one, .start = {}, .name = {}});
  const auto both = FlowNetwork(cluster, {.certify = true}).run(tasks);
  EXPECT_THAT(both.notes.front(), HasSubstr("18240 streams folded"));
  EXPECT_THAT(both.notes.front(), HasSubstr("symmetric sets"));
  const auto one = FlowNetwork(cluster, {.certify = true}).run({tasks.data(), 1});
  EXPECT_EQ(both.tasks[0].finish, one.tasks[0].finish);
  EXPECT_EQ(both.tasks[1].finish, one.tasks[0].finish);
  EXPECT_EQ(both.link_loads.size(), 2 * one.link_loads.size());
}

TEST(SymmetricTransfers, AStuckSetNamesOneOfItsTransfers) {
  FlowOptions options;
  const auto cluster = seventy_two();
  for (std::uint32_t link = 0; link < cluster.link_count(); ++link)
    options.faults.push_back(
        {.at = Time(), .faults = {.failed = {}, .degraded = {{LinkId(link), 0.0}}}});
  const auto all =
      schedule(cluster, "direct", {.kind = collectives::Kind::all_to_all, .bytes = 72_MB});
  try {
    (void)run(cluster, all, options);
    FAIL() << "nothing moves";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("transfers like 0 -> "));
  }
}

TEST(SymmetricTransfers, KeepsTheWaysOfWhatItTook) {
  const auto cluster = single_switch(2, 2);
  SymmetricTransfers alike(cluster);
  const std::vector<topology::Hop> there{{LinkId(0), 1.0}, {LinkId(5), 0.5}};
  ASSERT_TRUE(alike.add(there, 8.0, 1_us));
  alike.skip();
  ASSERT_TRUE(alike.add(there, 8.0, 3_us));
  EXPECT_FALSE(alike.add({}, 8.0, 1_us)) << "a way without links";
  EXPECT_EQ(alike.size(), 3U);
  std::vector<std::uint32_t> numbers;
  alike.for_each([&](std::uint32_t number, std::span<const topology::Hop> hops, double bytes) {
    numbers.push_back(number);
    EXPECT_EQ(bytes, 8.0);
    ASSERT_EQ(hops.size(), 2U);
    EXPECT_EQ(hops[0].link, LinkId(0));
    EXPECT_EQ(hops[1].link, LinkId(5));
    EXPECT_EQ(hops[1].share, 0.5);
  });
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 2}));
  const auto told = alike.stream_sets(LinkNumbers(cluster.link_count()));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].streams, 2U);
  ASSERT_EQ(told[0].crossings.size(), 2U);
  EXPECT_EQ(told[0].crossings[1].streams, 2U);
  EXPECT_EQ(alike.sets()[0].alpha, 3_us);
}

}  // namespace
}  // namespace railyard::sim
