#include "topology/routing/even_spread.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/topology/small_fabric.hpp"
#include "topology/routing/router.hpp"

namespace railyard::topology {
namespace {

using namespace testing;

// Two leaves of 4 nodes of one NIC below 4 spines: 8 units from leaf to leaf are 2 on each of the 4
// cables up and the 4 cables down, whatever comes from the leaf itself.
TEST(EvenSpread, DividesByTheCablesOfASwitch) {
  const Cluster cluster = small_cluster(leaf_spine(4), 8, 1);
  FabricPaths paths(cluster, {});
  EvenSpread spread(paths);
  const SwitchId from = paths.index().ports(NodeId(0), 0).front().leaf;
  const SwitchId to = paths.index().ports(NodeId(7), 0).front().leaf;
  const std::vector<EvenSpread::Source> sources{{from, 8}, {to, 5}};
  std::map<std::size_t, double> found;
  spread(sources, to, [&](LinkId link, double amount) { found[link.index()] += amount; });
  const auto cables = paths.index().ups(from).size();
  EXPECT_EQ(found.size(), 2 * cables);
  for (const auto& [link, amount] : found)
    EXPECT_DOUBLE_EQ(amount, 8.0 / static_cast<double>(cables));
}

// Of several sources each link gets what Router's spray puts on it for each by itself, near a
// failed link too.
TEST(EvenSpread, OfSeveralSourcesIsTheSumOfSprays) {
  const Cluster cluster = small_cluster(clos3(2, 2), 12, 1);
  for (const bool fails : {false, true}) {
    Faults faults;
    FabricPaths sound(cluster, {});
    const SwitchId to = sound.index().ports(NodeId(11), 0).front().leaf;
    if (fails) {
      const SwitchId first = sound.index().ports(NodeId(0), 0).front().leaf;
      faults.failed.push_back(sound.index().ups(first).front().link);
    }
    FabricPaths paths(cluster, faults);
    Router router(cluster, {.policy = RoutingPolicy::spray}, faults);
    EvenSpread spread(paths);
    std::vector<EvenSpread::Source> sources;
    std::map<std::size_t, double> expected, found;
    for (std::size_t node = 0; node < 10; node += 2) {
      sources.push_back({paths.index().ports(NodeId(node), 0).front().leaf, 3});
      std::vector<Hop> hops;
      router.route({.source = cluster.gpu(Rank(node)), .destination = cluster.gpu(Rank(11))}, hops);
      for (const Hop& hop : hops)
        if (cluster.link(hop.link).kind == LinkKind::fabric)
          expected[hop.link.index()] += 3 * hop.share;
    }
    spread(sources, to, [&](LinkId link, double amount) { found[link.index()] += amount; });
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [link, amount] : expected) EXPECT_NEAR(found[link], amount, 1e-9);
  }
}

}  // namespace
}  // namespace railyard::topology
