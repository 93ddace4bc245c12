#include "sim/flow/transfer_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/flow/flow_network.hpp"
#include "sim/flow/transfer_routes.hpp"
#include "sim/link_capacity.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;
using topology::RoutingPolicy;

collectives::Schedule all_to_all(const topology::Cluster& cluster, std::string_view algorithm,
                                 int channels = 1) {
  const auto ranks = static_cast<std::int64_t>(cluster.rank_count());
  return schedule(cluster, algorithm,
                  {.kind = collectives::Kind::all_to_all, .bytes = Bytes(ranks * 8192)},
                  {.channels = channels});
}

const collectives::Step& only_step(const collectives::Schedule& schedule) {
  return schedule.channels().front().loops.front().steps.front();
}

/// Every transfer routed by itself, its shares added by link.
std::vector<double> one_by_one(const topology::Cluster& cluster,
                               const collectives::Schedule& schedule,
                               topology::RoutingOptions routing, std::uint32_t label) {
  TransferRoutes routes(cluster, routing);
  std::vector<double> crossings(cluster.link_count(), 0.0);
  std::vector<topology::Hop> hops;
  const auto& step = only_step(schedule);
  for (std::uint64_t i = 0; i < step.size(); ++i) {
    hops.clear();
    routes.append(schedule, step.at(i, 0), label, hops);
    for (const auto& hop : hops) crossings[hop.link.index()] += hop.share;
  }
  return crossings;
}

topology::Cluster three_tiers() {
  auto spec = fabric(topology::FabricKind::clos3);
  spec.nodes_per_unit = 4;
  spec.units_per_pod = 2;
  spec.leaf_oversubscription = 2;
  return testing::cluster(16, 4, spec);
}

TEST(TransferLoads, EqualTheSumOverEveryTransferRoutedByItself) {
  for (const auto& cluster :
       {single_switch(6, 4), testing::cluster(12, 4, leaf_spine(3, 2.0)), three_tiers()})
    for (const RoutingPolicy policy :
         {RoutingPolicy::rail, RoutingPolicy::ecmp, RoutingPolicy::balanced,
          RoutingPolicy::adaptive, RoutingPolicy::spray})
      for (const int qps : {1, 3})
        for (const auto* algorithm : {"direct", "rail_pxn", "rail_direct"}) {
          const topology::RoutingOptions routing{.policy = policy, .qps = qps, .seed = 5};
          const auto all = all_to_all(cluster, algorithm);
          const auto loads =
              transfer_loads({.cluster = cluster, .routing = routing}, all, 0, only_step(all), 7);
          ASSERT_TRUE(loads) << algorithm;
          EXPECT_EQ(loads->counted, only_step(all).size());
          EXPECT_EQ(loads->bytes, Bytes(8192));
          const auto expected = one_by_one(cluster, all, routing, 7);
          for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(loads->crossings[i], expected[i], 1e-6)
                << algorithm << " " << cluster.name(LinkId(i));
        }
}

// The second channel's paths avoid what the first put on links.
TEST(TransferLoads, ChannelsThatFollowEachOtherKnowTheLoadsOfThoseBefore) {
  const auto cluster = testing::cluster(12, 4, leaf_spine(3, 2.0));
  for (const RoutingPolicy policy : {RoutingPolicy::balanced, RoutingPolicy::adaptive}) {
    const topology::RoutingOptions routing{.policy = policy, .seed = 5};
    const auto all = all_to_all(cluster, "direct");
    const auto router = topology::LeafRouter::make(cluster, routing);
    const LoadSetting setting{.cluster = cluster, .routing = routing, .router = router.get()};
    const auto first = transfer_loads(setting, all, 0, only_step(all), 0);
    const auto second = transfer_loads(setting, all, 0, only_step(all), 1);
    ASSERT_TRUE(first && second);
    TransferRoutes routes(cluster, routing);
    std::vector<topology::Hop> hops;
    std::vector<double> expected(cluster.link_count(), 0.0);
    for (const std::uint32_t label : {0U, 1U})
      for (std::uint64_t i = 0; i < only_step(all).size(); ++i) {
        hops.clear();
        routes.append(all, only_step(all).at(i, 0), label, hops);
        for (const auto& hop : hops) expected[hop.link.index()] += hop.share;
      }
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(first->crossings[i] + second->crossings[i], expected[i], 1e-6)
          << cluster.name(LinkId(i));
  }
}

// Both phases: 3 partners inside a node, 11 on the rail; 4 or 12 blocks over each connection.
TEST(TransferLoads, CountTheBlocksOfAConnectionOnce) {
  const auto cluster = testing::cluster(12, 4, leaf_spine(3, 2.0));
  const topology::RoutingOptions routing{.policy = RoutingPolicy::ecmp, .seed = 5};
  const auto all = all_to_all(cluster, "hierarchical");
  TransferRoutes routes(cluster, routing);
  std::vector<topology::Hop> hops;
  EXPECT_EQ(all.channels().front().loops.front().steps.size(), 2U);
  for (const auto& step : all.channels().front().loops.front().steps) {
    const auto loads = transfer_loads({.cluster = cluster, .routing = routing}, all, 0, step, 0);
    ASSERT_TRUE(loads);
    std::vector<double> expected(cluster.link_count(), 0.0);
    for (std::uint64_t i = 0; i < step.size(); ++i) {
      hops.clear();
      routes.append(all, step.at(i, 0), 0, hops);
      for (const auto& hop : hops) expected[hop.link.index()] += hop.share;
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(loads->crossings[i], expected[i], 1e-6) << cluster.name(LinkId(i));
  }
}

TEST(TransferLoads, DoNotDependOnTheNumberOfThreads) {
  const auto cluster = three_tiers();
  const auto all = all_to_all(cluster, "rail_pxn");
  const topology::RoutingOptions routing{.policy = RoutingPolicy::ecmp};
  const auto one =
      transfer_loads({.cluster = cluster, .routing = routing}, all, 0, only_step(all), 0);
  const auto four = transfer_loads({.cluster = cluster, .routing = routing, .threads = 4}, all, 0,
                                   only_step(all), 0);
  ASSERT_TRUE(one && four);
  EXPECT_EQ(one->crossings, four->crossings);
}

TEST(TransferLoads, AreRefusedWhereRoutesNeedASearch) {
  const auto cluster = testing::cluster(12, 4, leaf_spine(3));
  const auto all = all_to_all(cluster, "direct");
  const auto counted = [&](const LoadSetting& setting) {
    return transfer_loads(setting, all, 0, only_step(all), 0).has_value();
  };
  EXPECT_TRUE(counted({.cluster = cluster}));
  EXPECT_TRUE(counted({.cluster = cluster, .routing = {.policy = RoutingPolicy::spray}}));
  const LinkId up = link(cluster, "pod0/leaf0 -> pod0/spine0");
  EXPECT_FALSE(counted({.cluster = cluster, .faults = {.failed = {up}, .degraded = {}}}));
}

/// The busiest link between switches, and whether ports carry within 2 % what they do in `other`.
double busiest(const topology::Cluster& cluster, const TransferLoads& loads,
               const TransferLoads& other) {
  double most = 0;
  for (std::size_t i = 0; i < cluster.link_count(); ++i) {
    const auto kind = cluster.link(LinkId(i)).kind;
    if (kind == topology::LinkKind::port) {
      EXPECT_NEAR(loads.crossings[i], other.crossings[i], 0.02 * other.crossings[i]);
    }
    if (kind == topology::LinkKind::fabric) most = std::max(most, loads.crossings[i]);
  }
  return most;
}

constexpr auto kPolicies = {RoutingPolicy::rail, RoutingPolicy::ecmp, RoutingPolicy::balanced,
                            RoutingPolicy::adaptive, RoutingPolicy::spray};

/// The busiest link by a sample of the transfers of 256 ranks, and by all of them.
void expect_close_sample(const topology::Cluster& cluster, const collectives::Schedule& all,
                         double tolerance) {
  for (const RoutingPolicy policy : kPolicies) {
    const topology::RoutingOptions routing{.policy = policy, .seed = 3};
    const auto full =
        transfer_loads({.cluster = cluster, .routing = routing}, all, 0, only_step(all), 0);
    const auto part = transfer_loads({.cluster = cluster, .routing = routing, .most = 8192}, all, 0,
                                     only_step(all), 0);
    ASSERT_TRUE(full && part);
    EXPECT_EQ(full->counted, 256U * 255);
    EXPECT_LT(part->counted, 10'000U);
    const double expected = busiest(cluster, *full, *full);
    EXPECT_NEAR(busiest(cluster, *part, *full), expected, tolerance * expected)
        << static_cast<int>(policy);
  }
}

// 64 nodes of 4: 255 rounds, of which 31 are counted. Nodes and ports carry the same in every
// round between nodes. A link between leaf and spine carries 256 * 248 / (16 * 12) = 330 of the
// hashed transfers on average, +- 18.
TEST(TransferLoads, OfASampleAreCloseToThoseOfAll) {
  const auto cluster = testing::cluster(64, 4, leaf_spine(4));
  expect_close_sample(cluster, all_to_all(cluster, "direct"), 0.05);
}

// Half of the nodes send. The other half of the links is not used, and tells nothing of those that
// are: the mean of both halves would make the busiest link too light by a third.
TEST(TransferLoads, OfASampleOnAPartOfTheClusterAreCloseToo) {
  const auto cluster = testing::cluster(128, 4, leaf_spine(4));
  const auto half = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count() / 2));
  const auto all = collectives::build_schedule(
      "direct", {cluster,
                 half,
                 {.kind = collectives::Kind::all_to_all, .bytes = Bytes(256 * 8192)},
                 {.channels = 1}});
  expect_close_sample(cluster, all, 0.06);
}

topology::Cluster dual_plane() {
  auto spec = fabric(topology::FabricKind::dual_plane);
  spec.nodes_per_unit = 4;
  spec.units_per_pod = 2;
  return testing::cluster(8, 4, spec);
}

// Two planes with two queue pairs, and a failed link: what transfer_loads refuses; and spray.
TEST(RoutedLoads, EqualTheSumOverEveryTransferRoutedByItself) {
  const auto spray = testing::cluster(12, 4, leaf_spine(3, 2.0));
  const auto planes = dual_plane();
  const LinkId up = link(spray, "pod0/leaf0 -> pod0/spine0");
  struct Case {
    const topology::Cluster& cluster;
    topology::RoutingOptions routing;
    topology::Faults faults;
  };
  const std::vector<Case> cases{
      {spray, {.policy = RoutingPolicy::spray}, {}},
      {planes, {.policy = RoutingPolicy::ecmp, .qps = 2, .seed = 5}, {}},
      {planes, {.policy = RoutingPolicy::adaptive, .qps = 2, .seed = 5}, {}},
      {planes, {.policy = RoutingPolicy::balanced, .qps = 2, .seed = 5}, {}},
      {spray, {.policy = RoutingPolicy::ecmp}, {.failed = {up}, .degraded = {}}}};
  for (const Case& one : cases) {
    const auto all = all_to_all(one.cluster, "direct");
    TransferRoutes routes(one.cluster, one.routing, one.faults);
    double visited = 0;
    const auto loads =
        routed_loads({.cluster = one.cluster}, routes, all, 0, only_step(all), 7,
                     [&](const auto&, std::span<const topology::Hop> hops, double count) {
                       for (const auto& hop : hops) visited += hop.share * count;
                     });
    ASSERT_TRUE(loads);
    EXPECT_EQ(loads->counted, only_step(all).size());
    TransferRoutes again(one.cluster, one.routing, one.faults);
    std::vector<double> expected(one.cluster.link_count(), 0.0);
    std::vector<topology::Hop> hops;
    double sum = 0;
    for (std::uint64_t i = 0; i < only_step(all).size(); ++i) {
      hops.clear();
      again.append(all, only_step(all).at(i, 0), 7, hops);
      for (const auto& hop : hops) {
        expected[hop.link.index()] += hop.share;
        sum += hop.share;
      }
    }
    EXPECT_NEAR(visited, sum, 1e-6 * sum);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(loads->crossings[i], expected[i], 1e-6) << one.cluster.name(LinkId(i));
  }
}

// The dual-plane fabric, an eighth of the rounds of 128 ranks.
TEST(RoutedLoads, OfASampleAreCloseToThoseOfAll) {
  auto spec = fabric(topology::FabricKind::dual_plane);
  spec.nodes_per_unit = 4;
  spec.units_per_pod = 4;
  const auto cluster = testing::cluster(32, 4, spec);
  const auto all = all_to_all(cluster, "direct");
  for (const RoutingPolicy policy : kPolicies) {
    const topology::RoutingOptions routing{.policy = policy, .qps = 2, .seed = 3};
    TransferRoutes once(cluster, routing), again(cluster, routing);
    const auto full = routed_loads({.cluster = cluster}, once, all, 0, only_step(all), 0);
    const auto part =
        routed_loads({.cluster = cluster, .most = 2048}, again, all, 0, only_step(all), 0);
    ASSERT_TRUE(full && part);
    EXPECT_EQ(full->counted, 16'256U);
    EXPECT_LT(part->counted, 2'500U);
    const auto most = [&](const TransferLoads& loads) {
      double found = 0;
      for (std::size_t i = 0; i < cluster.link_count(); ++i)
        if (cluster.link(LinkId(i)).kind == topology::LinkKind::fabric)
          found = std::max(found, loads.crossings[i]);
      return found;
    };
    EXPECT_NEAR(most(*part), most(*full), 0.1 * most(*full)) << static_cast<int>(policy);
  }
}

/// A run with a pace of `bytes` seconds, as NCCL's algorithms have.
collectives::Run paced_run(const topology::Cluster& cluster, const collectives::Schedule& all,
                           FlowOptions options, Time bytes) {
  options.pace = [bytes](const collectives::Schedule&) {
    collectives::Pace pace;
    pace.launch = 3_us;
    pace.latency = 7_us;
    pace.bytes = bytes;
    return std::optional(pace);
  };
  const collectives::Task task{.schedule = &all, .start = {}, .name = {}};
  return FlowNetwork(cluster, options).run({&task, 1});
}

void expect_same(const collectives::Run& together, const collectives::Run& single) {
  EXPECT_NEAR(together.tasks[0].finish.seconds(), single.tasks[0].finish.seconds(), 2e-12);
  ASSERT_EQ(together.link_loads.size(), single.link_loads.size());
  for (std::size_t i = 0; i < single.link_loads.size(); ++i) {
    EXPECT_EQ(together.link_loads[i].link, single.link_loads[i].link);
    EXPECT_NEAR(together.link_loads[i].bytes, single.link_loads[i].bytes,
                1e-6 * single.link_loads[i].bytes);
  }
}

// What the transfers that are counted together take, each stream by itself (a run with a timeline)
// takes too: held by the fabric, and held by the pace.
TEST(TransferLoads, TogetherTransfersEndAsTheLastOfThemWouldAlone) {
  const auto cluster = testing::cluster(18, 4, leaf_spine(3, 2.0));
  for (const auto* algorithm : {"direct", "rail_pxn"})
    for (const int channels : {1, 2})
      for (const RoutingPolicy policy : kPolicies)
        for (const Time pace : {1_us, 10'000_us}) {
          const auto all = all_to_all(cluster, algorithm, channels);
          FlowOptions options{.routing = {.policy = policy, .seed = 2}};
          const auto together = paced_run(cluster, all, options, pace);
          EXPECT_THAT(together.notes.front(), HasSubstr("equal transfers start together"));
          options.timeline = true;
          const auto single = paced_run(cluster, all, options, pace);
          EXPECT_THAT(single.notes.front(), Not(HasSubstr("together")));
          expect_same(together, single);
        }
}

// 520 GPUs: above 2^18 transfers also those that must be routed one by one are counted. Two planes
// with the second port of every NIC; with a certificate each transfer is a stream of its own.
TEST(TransferLoads, RoutedTransfersEndAsTheLastOfThemWouldAlone) {
  auto spec = fabric(topology::FabricKind::dual_plane);
  spec.nodes_per_unit = 13;
  spec.units_per_pod = 2;
  const auto cluster = testing::cluster(130, 4, spec);
  const auto all = all_to_all(cluster, "direct");
  ASSERT_GT(only_step(all).size(), std::uint64_t{1} << 18);
  for (const Time pace : {1_us, 10'000_us}) {
    FlowOptions options{.routing = {.policy = RoutingPolicy::spray}};
    const auto together = paced_run(cluster, all, options, pace);
    EXPECT_THAT(together.notes.front(), HasSubstr("equal transfers start together"));
    // With a certificate they run as symmetric sets.
    options.certify = true;
    const auto single = paced_run(cluster, all, options, pace);
    EXPECT_THAT(single.notes.front(), Not(HasSubstr("together")));
    expect_same(together, single);
  }
}

}  // namespace
}  // namespace railyard::sim
