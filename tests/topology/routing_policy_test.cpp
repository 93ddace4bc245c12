// What sets the policies apart: how they spread traffic over equal ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/topology/small_fabric.hpp"
#include "topology/routing/flow_hash.hpp"
#include "topology/routing/router.hpp"

namespace railyard::topology {
namespace {

using namespace testing;  // NOLINT: small_fabric.hpp

using Loads = std::map<LinkId, double>;

DeviceId nic(const Cluster& cluster, std::size_t node, int number) {
  return cluster.nic(NodeId(node), number);
}

// Adds a connection between NICs to the loads of switch-to-switch links.
void add(Router& router, const Cluster& cluster, const Connection& connection, Loads& loads) {
  std::vector<Hop> hops;
  router.route(connection, hops);
  for (const Hop& hop : hops) {
    if (cluster.link(hop.link).kind == LinkKind::fabric) loads[hop.link] += hop.share;
  }
}

double worst(const Loads& loads) {
  double found = 0;
  for (const auto& [link, load] : loads) found = std::max(found, load);
  return found;
}

// Every NIC of every rail sends to the NIC of its rail `shift` nodes on.
Loads shift_permutation(const Cluster& cluster, const RoutingOptions& options, std::size_t shift) {
  Router router(cluster, options);
  Loads loads;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    for (int rail = 0; rail < cluster.shape(NodeId(n)).nic_count(); ++rail) {
      const std::size_t to = (n + shift) % cluster.node_count();
      add(router, cluster, {.source = nic(cluster, n, rail), .destination = nic(cluster, to, rail)},
          loads);
    }
  }
  return loads;
}

// The fabrics are non-blocking: a cable up for every port down.
TEST(RailPolicy, NoShiftOfARailCollides) {
  for (const FabricSpec& spec : {rail_clos(4, 2), clos3(4, 2), dual_plane(4, 2)}) {
    const Cluster cluster = small_cluster(spec, 32, 2);
    for (std::size_t shift = 1; shift < 32; ++shift) {
      EXPECT_EQ(worst(shift_permutation(cluster, {}, shift)), 1.0) << "shift " << shift;
    }
  }
}

TEST(RailPolicy, ParallelCablesShareTheLoad) {
  FabricSpec spec =
      clos3(4, 2);  // 4 cables up a leaf: 2 to each of 2 spines, which have 4 up: 2 cores
  spec.spines_per_pod = 2;
  spec.cores = 4;
  const Cluster cluster = small_cluster(spec, 32, 1);
  for (std::size_t shift = 1; shift < 32; ++shift) {
    EXPECT_EQ(worst(shift_permutation(cluster, {}, shift)), 1.0) << "shift " << shift;
  }
}

TEST(RailPolicy, AFailureMovesOnlyTheFlowsThatItHits) {
  const Cluster cluster = small_cluster(rail_clos(4, 2), 32, 2);
  const LinkId failed = find_links(cluster, "pod0/leaf0 -> pod0/spine1").front();
  Router healthy(cluster, {}), faulty(cluster, {}, {{failed}, {}});
  int moved = 0;
  for (std::size_t a = 0; a < 32; ++a) {
    for (std::size_t b = 0; b < 32; ++b) {
      if (a == b) continue;
      std::vector<Hop> before, after;
      const Connection c{.source = nic(cluster, a, 0), .destination = nic(cluster, b, 0)};
      healthy.route(c, before);
      faulty.route(c, after);
      const bool was_hit = std::ranges::find(before, failed, &Hop::link) != before.end();
      EXPECT_EQ(!std::ranges::equal(before, after, {}, &Hop::link, &Hop::link), was_hit);
      moved += was_hit ? 1 : 0;
    }
  }
  // From 4 NICs of leaf0 to the 28 / 4 = 7 destinations beyond it that stand second at their leaf.
  EXPECT_EQ(moved, 28);
}

// k = 4 flows over m = 8 up links: P(no two share one) = 7/8 * 6/8 * 5/8 = 0.4102.
// 4,000 trials: standard deviation sqrt(0.41 * 0.59 / 4000) = 0.0078; four of them are 0.031.
TEST(Ecmp, CollidesAsOftenAsIndependentChoices) {
  const Cluster cluster = small_cluster(leaf_spine(8), 16, 1);
  constexpr int kTrials = 4000;
  int clear = 0;
  for (int seed = 0; seed < kTrials; ++seed) {
    Router router(cluster,
                  {.policy = RoutingPolicy::ecmp, .seed = static_cast<std::uint64_t>(seed)});
    Loads loads;
    for (std::size_t n = 0; n < 4; ++n) {
      add(router, cluster, {.source = nic(cluster, n, 0), .destination = nic(cluster, 8 + n, 0)},
          loads);
    }
    clear += worst(loads) == 1.0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(clear) / kTrials, 7.0 / 8 * 6 / 8 * 5 / 8, 0.031);
}

std::size_t links_to_cores(const Cluster& cluster, const RoutingOptions& options) {
  Router router(cluster, options);
  Loads loads;
  for (std::uint32_t label = 0; label < 400; ++label) {
    add(router, cluster,
        {.source = nic(cluster, 0, 0), .destination = nic(cluster, 31, 0), .label = label}, loads);
  }
  return static_cast<std::size_t>(std::ranges::count_if(loads, [&](const auto& load) {
    return cluster.device(cluster.link(load.first).to).kind == DeviceKind::core;
  }));
}

// 4 spines with 4 cores each: 16 ways up from a pod. With own seeds 400 flows miss one of them with
// probability below 16 * (15/16)^400 < 1e-9. With one seed, spine and core number are both hash mod
// 4, so spine i climbs by cable i alone: 4 ways.
TEST(Ecmp, OneSeedOnAllTiersPolarises) {
  const Cluster cluster = small_cluster(clos3(4, 4), 32, 1);
  EXPECT_EQ(links_to_cores(cluster, {.policy = RoutingPolicy::ecmp}), 16U);
  EXPECT_EQ(links_to_cores(cluster, {.policy = RoutingPolicy::ecmp, .polarised = true}), 4U);
}

TEST(Ecmp, QueuePairsOfOneWayAreMerged) {
  const Cluster cluster = small_cluster(rail_clos(4, 2), 32, 1);
  Router router(cluster, {.policy = RoutingPolicy::rail, .qps = 4});
  std::vector<Hop> hops;
  router.route({.source = nic(cluster, 0, 0), .destination = nic(cluster, 31, 0)}, hops);
  ASSERT_EQ(hops.size(), 6U);
  for (const Hop& hop : hops) EXPECT_EQ(hop.share, 1.0);
}

double mean_worst(const Cluster& cluster, RoutingOptions options) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.seed = seed;
    sum += worst(shift_permutation(cluster, options, 16));
  }
  return sum / 20;
}

// 32 flows a pod over 8 leaves of 4 up links. One queue pair: balls in bins, the fullest of many
// links carries 3 or 4. Sixteen pieces of 1/16: mean 1, standard deviation sqrt(16 * 3/16)/16 =
// 0.43 at a link of 4 flows' pieces, so the fullest is nearer to 1 than with whole flows.
TEST(Ecmp, QueuePairsSpreadAConnection) {
  const Cluster cluster = small_cluster(clos3(4, 4), 32, 2);
  const double one = mean_worst(cluster, {.policy = RoutingPolicy::ecmp});
  const double sixteen = mean_worst(cluster, {.policy = RoutingPolicy::ecmp, .qps = 16});
  EXPECT_GE(one, 3.0);
  EXPECT_LT(sixteen, one / 1.5);
}

TEST(Balanced, LowersTheWorstLoadOfEcmp) {
  const Cluster cluster = small_cluster(clos3(4, 4), 32, 2);
  const double ecmp = mean_worst(cluster, {.policy = RoutingPolicy::ecmp});
  const double balanced = mean_worst(cluster, {.policy = RoutingPolicy::balanced});
  EXPECT_LE(balanced, 2.0);
  EXPECT_LT(balanced, ecmp - 1);
}

// Four flows leave a leaf of four up links: each finds one that is free.
TEST(Adaptive, TakesFreeLinksFirst) {
  const Cluster cluster = small_cluster(leaf_spine(4), 8, 1);
  Router router(cluster, {.policy = RoutingPolicy::adaptive});
  Loads loads;
  for (std::size_t n = 0; n < 4; ++n) {
    add(router, cluster, {.source = nic(cluster, n, 0), .destination = nic(cluster, 4 + n, 0)},
        loads);
  }
  EXPECT_EQ(loads.size(), 8U);
  EXPECT_EQ(worst(loads), 1.0);
}

// The same flow again takes another of the four up links; forgotten, it takes the first again.
TEST(Adaptive, ForgottenRoutesWeighNothing) {
  const Cluster cluster = small_cluster(leaf_spine(4), 8, 1);
  Router router(cluster, {.policy = RoutingPolicy::adaptive});
  const auto up = [&] {
    std::vector<Hop> hops;
    router.route({.source = nic(cluster, 0, 0), .destination = nic(cluster, 4, 0)}, hops);
    return hops.at(1).link;
  };
  const LinkId first = up();
  EXPECT_NE(up(), first);
  router.forget();
  EXPECT_EQ(up(), first);
}

// A link of a quarter counts four times: with 6 flows the three whole ones take two each (2 < 4).
TEST(Adaptive, SparesDegradedLinksWhereOthersKeepTheirRoutes) {
  const Cluster cluster = small_cluster(leaf_spine(8), 16, 1);
  const auto load_of_degraded = [&](RoutingPolicy policy) {
    const Faults faults = parse_degradation(cluster, "pod0/spine0:0.25").faults;
    Router router(cluster, {.policy = policy}, faults);
    Loads loads;
    for (std::size_t n = 0; n < 7; ++n) {
      add(router, cluster, {.source = nic(cluster, n, 0), .destination = nic(cluster, 8 + n, 0)},
          loads);
    }
    double sum = 0;
    for (const auto& [link, load] : loads) {
      sum += cluster.name(cluster.link(link).to) == "pod0/spine0" ? load : 0;
    }
    return sum;
  };
  EXPECT_EQ(load_of_degraded(RoutingPolicy::adaptive), 0);
  EXPECT_EQ(load_of_degraded(RoutingPolicy::rail), 1);
}

TEST(Spray, SplitsOverWhatIsLeft) {
  const Cluster cluster = small_cluster(leaf_spine(4), 8, 1);
  // One of four ways has lost its down link: three are left, and share 1/3 each on both tiers.
  const Faults faults{find_links(cluster, "pod0/spine2 -> pod0/leaf1"), {}};
  Router router(cluster, {.policy = RoutingPolicy::spray}, faults);
  Loads loads;
  add(router, cluster, {.source = nic(cluster, 0, 0), .destination = nic(cluster, 7, 0)}, loads);
  EXPECT_EQ(loads.size(), 6U);
  for (const auto& [link, share] : loads) EXPECT_DOUBLE_EQ(share, 1.0 / 3);
}

TEST(Spray, UsesBothPlanes) {
  const Cluster cluster = small_cluster(dual_plane(2, 2), 8, 1);
  Router router(cluster, {.policy = RoutingPolicy::spray});
  std::vector<Hop> hops;
  router.route({.source = nic(cluster, 0, 0), .destination = nic(cluster, 1, 0)}, hops);
  ASSERT_EQ(hops.size(), 4U);  // up and down at a leaf in each plane
  for (const Hop& hop : hops) EXPECT_EQ(hop.share, 0.5);
}

TEST(Planes, AFailedPortLeavesTheOtherPlane) {
  const Cluster cluster = small_cluster(dual_plane(2, 2), 8, 1);
  const Faults faults{find_links(cluster, "node0/nic0 -- plane0/pod0/leaf0"), {}};
  for (std::uint32_t label = 0; label < 8; ++label) {
    Router router(cluster, {.policy = RoutingPolicy::ecmp}, faults);
    std::vector<Hop> hops;
    router.route({.source = nic(cluster, 0, 0), .destination = nic(cluster, 5, 0), .label = label},
                 hops);
    EXPECT_THAT(cluster.name(hops.front().link), ::testing::HasSubstr("plane1"));
  }
}

TEST(FlowHash, SourcePortsAreThoseOfRoceAndSpread) {
  std::map<int, int> bins;
  for (std::uint32_t n = 0; n < 16'000; ++n) {
    const std::uint16_t port = udp_source_port({DeviceId(n), DeviceId(n + 1), 0, 0}, 1);
    ASSERT_GE(port, 0xC000);
    ++bins[port % 16];
  }
  // 16 bins of 1,000: standard deviation sqrt(1000 * 15/16) = 30.6; five of them are 153.
  ASSERT_EQ(bins.size(), 16U);
  for (const auto& [bin, count] : bins) EXPECT_NEAR(count, 1000, 153) << bin;
}

TEST(FlowHash, MixIsTheFinaliserOfSplitMix64) {
  // First outputs of SplitMix64 seeded with 0: mix(golden), mix(2 golden) (Vigna's splitmix64.c).
  EXPECT_EQ(mix(0x9e3779b97f4a7c15U), 0xe220a8397b1dcdafU);
  EXPECT_EQ(mix(0x3c6ef372fe94f82aU), 0x6e789e6aa1b965f4U);
}

}  // namespace
}  // namespace railyard::topology
