// Routes on the shipped clusters: GPUs of the same number in other nodes are reached by every
// policy.
#include <gtest/gtest.h>

#include "core/config/config_path.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/fabric/fabric_index.hpp"
#include "topology/routing/flow_hash.hpp"
#include "topology/routing/router.hpp"

namespace railyard::topology {
namespace {

class ShippedRoutes : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedRoutes, JoinGpusOfOneNumber) {
  const Cluster cluster = build_cluster(read_cluster(GetParam()));
  EXPECT_TRUE(FabricIndex(cluster).is_regular());
  for (const RoutingPolicy policy :
       {RoutingPolicy::rail, RoutingPolicy::ecmp, RoutingPolicy::balanced, RoutingPolicy::adaptive,
        RoutingPolicy::spray}) {
    Router router(cluster, {.policy = policy, .qps = 2});
    for (std::uint64_t i = 0; i < 20; ++i) {
      const std::size_t gpus = cluster.rank_count() / cluster.node_count();
      const auto from = mix(i) % cluster.rank_count();
      const auto to = mix(~i) % cluster.node_count() * gpus + from % gpus;
      std::vector<Hop> hops;
      router.route({.source = cluster.gpu(Rank(from)), .destination = cluster.gpu(Rank(to))}, hops);
      // What arrives at the destination less what leaves it; nothing crosses from a GPU to itself.
      double arrived = 0;
      for (const Hop& hop : hops) {
        if (cluster.link(hop.link).to == cluster.gpu(Rank(to))) arrived += hop.share;
        if (cluster.link(hop.link).from == cluster.gpu(Rank(to))) arrived -= hop.share;
      }
      EXPECT_NEAR(arrived, from == to ? 0 : 1, 1e-9);
    }
  }
}

// GPUs of two NVLink domains meet over their NICs and the fabric, never over NVLink alone.
TEST(ShippedRoutesOfDomains, GpusOfTwoNvlinkDomainsCrossNics) {
  for (const char* name : {"gb200_nvl72", "gb300_nvl72"}) {
    const Cluster cluster = build_cluster(read_cluster(name, 2));
    ASSERT_EQ(cluster.rank_count(), 144U);
    Router router(cluster, {.policy = RoutingPolicy::rail});
    for (const auto& [to, nics] : {std::pair{Rank(71), 0}, std::pair{Rank(72), 2}}) {
      std::vector<Hop> hops;
      router.route({.source = cluster.gpu(Rank(0)), .destination = cluster.gpu(to)}, hops);
      int ports = 0;
      for (const Hop& hop : hops) ports += cluster.link(hop.link).kind == LinkKind::port ? 1 : 0;
      EXPECT_EQ(ports, nics) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, ShippedRoutes,
                         ::testing::ValuesIn(core::config_names("clusters")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace railyard::topology
