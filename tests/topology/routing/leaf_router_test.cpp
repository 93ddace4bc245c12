#include "topology/routing/leaf_router.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/topology/small_fabric.hpp"
#include "topology/routing/router.hpp"

namespace railyard::topology {
namespace {

using namespace testing;

/// The links between switches of a route by Router, and how much of it each carries.
std::vector<Hop> above_leaves(const Cluster& cluster, const std::vector<Hop>& hops) {
  std::vector<Hop> found;
  for (const Hop& hop : hops) {
    const Link& link = cluster.link(hop.link);
    if (is_fabric_switch(cluster.device(link.from).kind) &&
        is_fabric_switch(cluster.device(link.to).kind))
      found.push_back(hop);
  }
  return found;
}

// Merged by link, as Router does where several queue pairs cross one.
void add(std::vector<Hop>& hops, LinkId link, double share) {
  const auto at = std::ranges::find(hops, link, &Hop::link);
  if (at == hops.end()) {
    hops.push_back({link, share});
  } else {
    at->share += share;
  }
}

void expect_same_routes(const Cluster& cluster, const RoutingOptions& options) {
  Router router(cluster, options);
  const auto leaves = LeafRouter::make(cluster, options);
  ASSERT_NE(leaves, nullptr);
  std::mt19937_64 random(options.seed);
  const auto gpus = static_cast<std::size_t>(cluster.shape(NodeId(0)).gpu_count());
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 300; ++i) {
      const Rank a(random() % cluster.rank_count()), b(random() % cluster.rank_count());
      if (a.index() / gpus == b.index() / gpus) continue;
      std::vector<Hop> hops, quick;
      router.route({.source = cluster.gpu(a), .destination = cluster.gpu(b)}, hops);
      // GPU g of these nodes sits next to NIC g.
      ASSERT_TRUE(leaves->route(a.index(), b.index(), [&](LinkId link, double share) {
        add(quick, link, share);
        EXPECT_GE(link.index(), leaves->first_link().index());
      }));
      const std::vector<Hop> expected = above_leaves(cluster, hops);
      ASSERT_EQ(quick.size(), expected.size());
      EXPECT_LE(quick.size(), leaves->most_links());
      for (std::size_t h = 0; h < quick.size(); ++h) {
        EXPECT_EQ(quick[h].link, expected[h].link);
        EXPECT_DOUBLE_EQ(quick[h].share, expected[h].share);
      }
    }
    router.forget();
    leaves->forget();
  }
}

FabricSpec two_to_one(FabricSpec fabric) {
  fabric.leaf_oversubscription = 2;
  return fabric;
}

TEST(LeafRouter, RoutesAsRouterDoes) {
  for (const FabricSpec& fabric :
       {two_to_one(leaf_spine(4)), two_to_one(clos3(4, 2)), two_to_one(rail_clos(2, 2))}) {
    const Cluster cluster = small_cluster(fabric, 16, 4);
    for (const RoutingPolicy policy : {RoutingPolicy::rail, RoutingPolicy::ecmp,
                                       RoutingPolicy::balanced, RoutingPolicy::adaptive}) {
      for (const int qps : {1, 3}) {
        expect_same_routes(cluster, {.policy = policy, .qps = qps, .seed = 5});
        expect_same_routes(cluster, {.policy = policy, .qps = qps, .polarised = true, .seed = 2});
      }
    }
  }
}

TEST(LeafRouter, LeavesWhatItDoesNotKnowToRouter) {
  const Cluster cluster = small_cluster(clos3(4, 2), 16, 2);
  EXPECT_EQ(LeafRouter::make(cluster, {.policy = RoutingPolicy::spray}), nullptr);
  FabricSpec two_ports = fabric_of(FabricKind::dual_plane);
  two_ports.nodes_per_unit = 4;
  two_ports.units_per_pod = 2;
  const Cluster planes = small_cluster(two_ports, 16, 2);
  EXPECT_EQ(LeafRouter::make(planes, {.policy = RoutingPolicy::ecmp}), nullptr);
}

// Adaptive routing takes the least loaded cable; which of equal ones it takes depends on the seed.
// Every cable carries as much with either: of 16 connections from leaf 0 the same number each.
TEST(LeafRouter, TiesOfAdaptiveRoutingDependOnTheSeed) {
  const Cluster cluster = small_cluster(leaf_spine(4), 16, 1);
  const auto links_of = [&](std::uint64_t seed) {
    const auto leaves =
        LeafRouter::make(cluster, {.policy = RoutingPolicy::adaptive, .seed = seed});
    std::vector<LinkId> links;
    for (std::size_t from = 0; from < 4; ++from)
      for (std::size_t to = 4; to < 8; ++to) {
        bool is_first = true;
        EXPECT_TRUE(leaves->route(from, to, [&](LinkId link, double) {
          if (is_first) links.push_back(link);
          is_first = false;
        }));
      }
    return links;
  };
  std::vector<LinkId> one = links_of(1), two = links_of(2);
  EXPECT_NE(one, two);
  std::ranges::sort(one);
  std::ranges::sort(two);
  EXPECT_EQ(one, two);
}

TEST(LeafRouter, FindsNoWayFromRailToRail) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::rail_only), 4, 2);
  const auto leaves = LeafRouter::make(cluster, {.policy = RoutingPolicy::ecmp});
  if (leaves == nullptr) GTEST_SKIP() << "the rail-only fabric has no leaves that LeafRouter knows";
  const auto ignore = [](LinkId, double) {};
  EXPECT_FALSE(leaves->route(0, 3, ignore));
  EXPECT_TRUE(leaves->route(0, 2, ignore));
}

}  // namespace
}  // namespace railyard::topology
