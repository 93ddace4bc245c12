// Link loads against an independent sum of bytes x shares over every transfer of the schedule.
#include <gtest/gtest.h>

#include <map>

#include "sim/analytic/analytic_network.hpp"
#include "sim/flow/flow_network.hpp"
#include "sim/link_capacity.hpp"
#include "tests/sim/sim_cluster.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::Schedule;
using topology::Cluster;

void add_route(const Cluster& cluster, topology::Router& router,
               const topology::Connection& connection, double bytes,
               std::map<LinkId, double>& loads) {
  std::vector<topology::Hop> hops;
  router.route(connection, hops);
  for (const auto& hop : hops)
    if (bytes > 0) loads[hop.link] += bytes * hop.share;
  (void)cluster;
}

/// Every transfer of every iteration, routed by itself. Simple protocol, no packet headers.
std::map<LinkId, double> loads_of(const Cluster& cluster, const Schedule& schedule,
                                  const topology::RoutingOptions& routing) {
  topology::Router router(cluster, routing);
  std::map<LinkId, double> loads;
  for (std::size_t c = 0; c < schedule.channels().size(); ++c)
    for (const auto& loop : schedule.channels()[c].loops)
      for (std::uint64_t k = 0; k < loop.repeat; ++k)
        for (const auto& step : loop.steps)
          for (std::uint64_t i = 0; i < step.size(); ++i) {
            const auto transfer = step.at(i, k);
            const auto bytes = static_cast<double>(schedule.bytes(c, transfer).count());
            const auto label = connection_label(0, c);
            auto from = schedule.device(cluster, transfer.source);
            if (transfer.relay != collectives::kNoParticipant) {
              const auto relay = schedule.device(cluster, transfer.relay);
              add_route(cluster, router, {.source = from, .destination = relay, .label = label},
                        bytes, loads);
              from = relay;
            }
            add_route(cluster, router,
                      {from, schedule.device(cluster, transfer.destination), label,
                       transfer.source_nic, transfer.destination_nic},
                      bytes, loads);
          }
  return loads;
}

void expect_loads(const collectives::Run& run, const std::map<LinkId, double>& expected,
                  const Cluster& cluster) {
  ASSERT_EQ(run.link_loads.size(), expected.size());
  for (const auto& load : run.link_loads) {
    const auto it = expected.find(load.link);
    ASSERT_NE(it, expected.end()) << cluster.name(load.link);
    EXPECT_NEAR(load.bytes, it->second, it->second * 1e-9) << cluster.name(load.link);
  }
}

void expect_conserved(const Cluster& cluster, const Schedule& schedule,
                      topology::RoutingOptions routing = {}) {
  const auto expected = loads_of(cluster, schedule, routing);
  const collectives::Task task{.schedule = &schedule, .start = {}, .name = {}};
  expect_loads(FlowNetwork(cluster, {.routing = routing}).run({&task, 1}), expected, cluster);
  expect_loads(FlowNetwork(cluster, {.routing = routing, .expand = true}).run({&task, 1}), expected,
               cluster);
  expect_loads(AnalyticNetwork(cluster, {.routing = routing}).run({&task, 1}), expected, cluster);
}

std::string why_not(const Cluster& cluster, const collectives::Algorithm& algorithm, Kind kind) {
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  return algorithm.why_not({cluster, group, {.kind = kind, .bytes = Bytes(4 * 1'000'003)}, {}});
}

// 1,000,003 elements divide evenly over nothing: pieces and chunks of different sizes everywhere.
constexpr Bytes kOdd{4 * 1'000'003};

TEST(Conservation, RingsWithPiecesOfDifferentSizes) {
  const auto cluster = testing::cluster(3, 2, leaf_spine(2));
  for (const Kind kind :
       {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter, Kind::broadcast, Kind::reduce})
    expect_conserved(cluster, schedule(cluster, "ring", {.kind = kind, .bytes = kOdd, .root = 3}));
}

TEST(Conservation, Trees) {
  const auto cluster = testing::cluster(5, 2, leaf_spine(2));
  for (const Kind kind : {Kind::all_reduce, Kind::broadcast, Kind::reduce})
    expect_conserved(cluster, schedule(cluster, "tree", {.kind = kind, .bytes = kOdd, .root = 3}));
}

TEST(Conservation, AllToAllWithAndWithoutRelays) {
  const auto cluster = testing::cluster(3, 2, leaf_spine(2));
  for (const auto* algorithm : {"direct", "rail_pxn", "rail_direct"})
    expect_conserved(cluster,
                     schedule(cluster, algorithm, {.kind = Kind::all_to_all, .bytes = kOdd}));
}

TEST(Conservation, SeveralWaysForOneConnection) {
  const auto cluster = testing::cluster(4, 1, leaf_spine(2));
  const auto ring = schedule(cluster, "ring", {.bytes = kOdd});
  using topology::RoutingPolicy;
  expect_conserved(cluster, ring, {.policy = RoutingPolicy::ecmp, .qps = 3, .seed = 7});
  expect_conserved(cluster, ring, {.policy = RoutingPolicy::spray});
}

TEST(Conservation, EveryAlgorithmInEveryWayOfRunningIt) {
  const auto cluster = testing::cluster(4, 2, leaf_spine(2));
  int schedules = 0;
  for (const auto& algorithm : collectives::algorithms())
    for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::broadcast, Kind::reduce, Kind::all_to_all, Kind::send_recv}) {
      SCOPED_TRACE(std::string(algorithm.name) + " " + std::string(to_text(kind)));
      if (!algorithm.supports(kind) || !why_not(cluster, algorithm, kind).empty()) continue;
      expect_conserved(cluster,
                       schedule(cluster, algorithm.name, {.kind = kind, .bytes = kOdd, .root = 3}));
      ++schedules;
    }
  EXPECT_GT(schedules, 12);
}

}  // namespace
}  // namespace railyard::sim
