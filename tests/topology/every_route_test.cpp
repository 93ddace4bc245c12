// What holds for every pair of GPUs, on every kind of fabric and under every policy.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/topology/small_fabric.hpp"
#include "topology/cluster/graph.hpp"
#include "topology/routing/router.hpp"

namespace railyard::topology {
namespace {

using namespace testing;  // NOLINT: small_fabric.hpp

struct Case {
  std::string name;
  Cluster cluster;
  bool crosses_rails = true;
};

FabricSpec oversubscribed(FabricSpec spec) {
  spec.leaf_oversubscription = 2;
  return spec;
}

// Two cables between each leaf and spine, and between each spine and core.
FabricSpec with_parallel_cables(FabricSpec spec) {
  spec.spines_per_pod = 2;
  spec.cores = 4;
  return spec;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string name, const FabricSpec& spec, int nodes, int gpus,
                       bool crosses_rails = true) {
    all.push_back({std::move(name), small_cluster(spec, nodes, gpus), crosses_rails});
  };
  add("single_switch", fabric_of(FabricKind::single_switch), 3, 2);
  add("leaf_spine", leaf_spine(2), 6, 2);
  add("leaf_spine 2:1", oversubscribed(leaf_spine(2)), 6, 2);
  add("leaf_spine, last unit not full", leaf_spine(4), 7, 1);
  add("clos3", clos3(2, 2), 8, 2);
  add("clos3, parallel cables", with_parallel_cables(clos3(4, 2)), 16, 1);
  add("fat_tree", fat_tree(4), 16, 1);
  add("rail_clos", rail_clos(2, 2), 8, 2);
  add("rail_clos, last pod not full", rail_clos(2, 2), 11, 2);
  add("rail_only", fabric_of(FabricKind::rail_only), 4, 2, false);
  add("dual_plane", dual_plane(2, 2), 8, 2);
  add("explicit", triangle(), 4, 1);
  return all;
}

constexpr RoutingPolicy kPolicies[] = {RoutingPolicy::rail, RoutingPolicy::ecmp,
                                       RoutingPolicy::balanced, RoutingPolicy::adaptive,
                                       RoutingPolicy::spray};

template <class Visit>
void for_each_pair(const Case& c, Visit&& visit) {
  for (std::size_t a = 0; a < c.cluster.rank_count(); ++a) {
    for (std::size_t b = 0; b < c.cluster.rank_count(); ++b) {
      const Rank from(a), to(b);
      const bool is_inside = c.cluster.node_of(from) == c.cluster.node_of(to);
      if (a == b) continue;
      if (!c.crosses_rails && !is_inside && c.cluster.rail_of(from) != c.cluster.rail_of(to))
        continue;
      visit(Connection{.source = c.cluster.gpu(from), .destination = c.cluster.gpu(to)});
    }
  }
}

// Each link starts where the one before ended, and no device is met twice.
void expect_path(const Case& c, const Connection& connection, const std::vector<Hop>& hops) {
  DeviceId at = connection.source;
  std::set<DeviceId> met{at};
  for (const Hop& hop : hops) {
    ASSERT_EQ(c.cluster.link(hop.link).from, at) << c.name << ' ' << c.cluster.name(hop.link);
    at = c.cluster.link(hop.link).to;
    ASSERT_TRUE(met.insert(at).second) << c.name << " meets " << c.cluster.name(at) << " twice";
    ASSERT_EQ(hop.share, 1.0);
  }
  ASSERT_EQ(at, connection.destination) << c.name;
}

// Once a way has gone down a tier it does not climb again.
void expect_no_valley(const Case& c, const std::vector<Hop>& hops) {
  bool has_fallen = false;
  for (const Hop& hop : hops) {
    const Link& link = c.cluster.link(hop.link);
    if (link.kind != LinkKind::fabric) continue;
    const bool falls =
        tier(c.cluster.device(link.to).kind) < tier(c.cluster.device(link.from).kind);
    ASSERT_TRUE(falls || !has_fallen) << c.name << ' ' << c.cluster.name(hop.link);
    has_fallen = falls;
  }
}

// What enters a device leaves it, 1 leaves the source and 1 enters the destination.
void expect_flow(const Case& c, const Connection& connection, const std::vector<Hop>& hops) {
  std::map<DeviceId, double> balance{{connection.source, 1.0}, {connection.destination, -1.0}};
  std::set<LinkId> met;
  for (const Hop& hop : hops) {
    ASSERT_TRUE(met.insert(hop.link).second) << c.name << ' ' << c.cluster.name(hop.link);
    ASSERT_GT(hop.share, 0);
    balance[c.cluster.link(hop.link).from] -= hop.share;
    balance[c.cluster.link(hop.link).to] += hop.share;
  }
  for (const auto& [device, left] : balance) {
    ASSERT_NEAR(left, 0, 1e-9) << c.name << ' ' << c.cluster.name(device);
  }
}

TEST(EveryRoute, IsAWayFromEndToEndWithoutLoops) {
  for (const Case& c : cases()) {
    for (const RoutingPolicy policy : kPolicies) {
      if (policy == RoutingPolicy::spray) continue;
      Router router(c.cluster, {.policy = policy});
      std::vector<Hop> hops;
      for_each_pair(c, [&](const Connection& connection) {
        hops.clear();
        router.route(connection, hops);
        expect_path(c, connection, hops);
      });
    }
  }
}

TEST(EveryRoute, OfSeveralPathsCarriesAllBytesAcrossEveryCut) {
  for (const Case& c : cases()) {
    for (const RoutingPolicy policy : kPolicies) {
      Router router(c.cluster, {.policy = policy, .qps = 3});
      std::vector<Hop> hops;
      for_each_pair(c, [&](const Connection& connection) {
        hops.clear();
        router.route(connection, hops);
        expect_flow(c, connection, hops);
      });
    }
  }
}

// Between two NICs; what a node does inside is the affair of NodeShape. Other NICs and GPUs forward
// nothing, but no shortcut through a node is shorter than one switch.
TEST(EveryRoute, ThroughTheFabricIsAsShortAsBoostFinds) {
  for (const Case& c : cases()) {
    for (const RoutingPolicy policy : kPolicies) {
      if (policy == RoutingPolicy::spray) continue;
      Router router(c.cluster, {.policy = policy});
      for (std::size_t a = 0; a < c.cluster.rank_count(); ++a) {
        const DeviceId from = c.cluster.nic(c.cluster.node_of(Rank(a)), c.cluster.rail_of(Rank(a)));
        const std::vector<int> fewest = hops_from(c.cluster, from);
        for (std::size_t b = 0; b < c.cluster.rank_count(); ++b) {
          if (c.cluster.node_of(Rank(a)) == c.cluster.node_of(Rank(b))) continue;
          if (!c.crosses_rails && c.cluster.rail_of(Rank(a)) != c.cluster.rail_of(Rank(b)))
            continue;
          const DeviceId to = c.cluster.nic(c.cluster.node_of(Rank(b)), c.cluster.rail_of(Rank(b)));
          std::vector<Hop> hops;
          router.route({.source = from, .destination = to}, hops);
          ASSERT_EQ(static_cast<int>(hops.size()), fewest[to.index()])
              << c.name << ' ' << c.cluster.name(from) << " to " << c.cluster.name(to);
        }
      }
    }
  }
}

TEST(EveryRoute, IsTheSameForTheSameSeed) {
  for (const Case& c : cases()) {
    for (const RoutingPolicy policy : kPolicies) {
      Router first(c.cluster, {.policy = policy, .seed = 7});
      Router second(c.cluster, {.policy = policy, .seed = 7});
      for_each_pair(c, [&](const Connection& connection) {
        std::vector<Hop> a, b;
        first.route(connection, a);
        second.route(connection, b);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          ASSERT_EQ(a[i].link, b[i].link);
          ASSERT_EQ(a[i].share, b[i].share);
        }
      });
    }
  }
}

// One direction or both of each fabric cable in turn: whoever is still joined is routed, over live
// links alone and within the up*/down* rule.
TEST(EveryRoute, AvoidsAnyOneFailedCable) {
  for (const Case& c : cases()) {
    if (c.name == "explicit") continue;
    for (std::size_t l = 0; l < c.cluster.link_count(); ++l) {
      const Link& link = c.cluster.link(LinkId(l));
      if (link.kind != LinkKind::fabric || link.from > link.to) continue;
      Router router(c.cluster, {.policy = RoutingPolicy::ecmp}, {{LinkId(l), link.reverse}, {}});
      Router spray(c.cluster, {.policy = RoutingPolicy::spray}, {{LinkId(l), link.reverse}, {}});
      std::vector<Hop> hops;
      for_each_pair(c, [&](const Connection& connection) {
        hops.clear();
        router.route(connection, hops);
        expect_path(c, connection, hops);
        expect_no_valley(c, hops);
        for (const Hop& hop : hops) ASSERT_TRUE(hop.link != LinkId(l) && hop.link != link.reverse);
        hops.clear();
        spray.route(connection, hops);
        expect_flow(c, connection, hops);
        for (const Hop& hop : hops) ASSERT_TRUE(hop.link != LinkId(l) && hop.link != link.reverse);
      });
    }
  }
}

}  // namespace
}  // namespace railyard::topology
