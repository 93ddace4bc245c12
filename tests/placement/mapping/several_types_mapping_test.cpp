#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/diagnostic.hpp"
#include "placement/mapping/optimise.hpp"
#include "placement/mapping/ordered_mapping.hpp"
#include "placement/mapping/routed_score.hpp"
#include "placement/strategy/strategy_groups.hpp"
#include "tests/placement/two_types.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement {
namespace {

using namespace literals;
using namespace topology::testing;

/// 8 nodes of 4 GPUs of each of two shapes, four nodes below a leaf.
struct Site {
  topology::Cluster cluster;
  Tiers tiers;
  std::vector<GpuType> types;

  Site() : cluster(made()), tiers(cluster) {
    for (std::size_t shape = 0; shape < 2; ++shape) {
      GpuType type{.fabric = {.gpus_per_node = 4}, .node = cluster.spec().node_specs[shape].name};
      for (std::size_t r = 0; r < cluster.rank_count(); ++r)
        if (cluster.node(cluster.node_of(Rank(r))).shape == shape) type.free.emplace_back(r);
      types.push_back(std::move(type));
    }
  }
  static topology::Cluster made() {
    topology::ClusterSpec spec;
    spec.name = "two shapes";
    spec.fabric = leaf_spine(4);
    for (const char* name : {"first", "second"}) {
      topology::NodeSpec node = small_node(4);
      node.name = name;
      spec.node_specs.push_back(std::move(node));
      spec.node_counts.push_back(8);
    }
    spec.node = "first";
    spec.nodes = 16;
    return topology::build_cluster(std::move(spec));
  }
  [[nodiscard]] std::uint32_t shape(Rank gpu) const {
    return cluster.node(cluster.node_of(gpu)).shape;
  }
};

/// Every rank on a GPU of its type, none on two.
void expect_on_types(const Site& site, const Strategy& mixed, const Mapping& mapping) {
  const std::vector<int> types = rank_types(mixed);
  ASSERT_EQ(mapping.size(), types.size());
  std::set<Rank> seen;
  for (std::size_t r = 0; r < types.size(); ++r) {
    EXPECT_EQ(site.shape(mapping.gpus[r]), static_cast<std::uint32_t>(types[r]));
    EXPECT_TRUE(seen.insert(mapping.gpus[r]).second);
  }
}

/// Rings of tensor groups, so many that they belong into nodes; a ring over the replicas and
/// messages between stages, as a step has them.
std::vector<TrafficPhase> traffic(const Strategy& s, Bytes ring, Bytes chain) {
  StrategyGroups groups = strategy_groups(s);
  return {{.name = "tp", .traffic = {{TrafficPattern::ring, groups.tp, 100_MiB}}, .count = 1000},
          {.name = "dp", .traffic = {{TrafficPattern::ring, groups.replicas, ring}}},
          {.name = "pp", .traffic = {{TrafficPattern::chain, groups.pp, chain}}}};
}

/// The request to map a strategy.
struct Asked {
  RankGrid grid;
  MappingRequest request;

  Asked(const Site& site, const Strategy& strategy, std::span<const TrafficPhase> phases)
      : grid(strategy_grid(strategy)) {
    request = {.grid = &grid,
               .phases = phases,
               .free = free_gpus(site.types),
               .rank_types = rank_types(strategy)};
  }
};

// Nodes of each shape given in an order that alternates leaves: four replicas of two stages, one
// per type, whose rings then leave a leaf with every hop. Laid out by the tree a ring of four nodes
// fits a leaf, and nothing but what crosses types goes through a spine.
TEST(SeveralTypesMapping, RanksStayOnTheirTypeAndRingsBelowALeaf) {
  Site site;
  for (GpuType& type : site.types) {
    std::vector<Rank> turned;
    for (const std::size_t node : {0, 4, 1, 5, 2, 6, 3, 7})
      for (std::size_t g = 0; g < 4; ++g) turned.push_back(type.free[node * 4 + g]);
    type.free = std::move(turned);
  }
  const Strategy mixed = over({.tp = 4, .pp = 2, .dp = 4}, {{.types = {0, 1}, .replicas = 4}});
  const auto phases = traffic(mixed, 100_MiB, 1_MiB);
  const Asked asked(site, mixed, phases);
  const MappingRequest& request = asked.request;
  const MappingChoice axis = best_axis_order(site.tiers, request);
  const MappingChoice found = optimise_mapping(site.tiers, request);
  expect_on_types(site, mixed, axis.mapping);
  expect_on_types(site, mixed, found.mapping);
  Evaluator evaluator(site.tiers, phases, {});
  EXPECT_TRUE(is_better(found.score, axis.score));
  // The stage of a replica on a node each; those of a stage below one leaf.
  std::set<std::uint32_t> leaves;
  for (std::size_t r = 0; r < 16; ++r)
    leaves.insert(site.tiers.gpu_position(found.mapping.gpus[r]).leaf);
  EXPECT_EQ(leaves.size(), 1U);
}

// Unequal classes, an odd number of replicas, more free GPUs than ranks, flows judged by their
// hashes: on types still, and routed no slower than the best axis order.
TEST(SeveralTypesMapping, JudgedMappingsRouteNoSlowerThanTheBestAxisOrder) {
  const Site site;
  const Strategy mixed = over({.tp = 2, .pp = 2, .dp = 7},
                              {{.types = {0, 0}, .replicas = 4}, {.types = {1, 1}, .replicas = 3}});
  const auto phases = traffic(mixed, 100_MiB, 50_MiB);
  const topology::RoutingOptions routing{.policy = topology::RoutingPolicy::ecmp};
  Asked asked(site, mixed, phases);
  asked.request.judged_by = routing;
  const MappingRequest& request = asked.request;
  const MappingChoice found = optimise_mapping(site.tiers, request);
  expect_on_types(site, mixed, found.mapping);
  RoutedScore routed(site.tiers, phases, routing, {});
  EXPECT_LE(routed(found.mapping),
            routed(best_axis_order(site.tiers, request).mapping) * (1 + 1e-9));
}

TEST(SeveralTypesMapping, TooFewGpusOfATypeAreAnError) {
  Site site;
  site.types[1].free.resize(4);
  const Strategy mixed = over({.tp = 4, .pp = 2, .dp = 2}, {{.types = {0, 1}, .replicas = 2}});
  const auto phases = traffic(mixed, 1_MiB, 1_MiB);
  EXPECT_THROW((void)optimise_mapping(site.tiers, Asked(site, mixed, phases).request), InputError);
}

}  // namespace
}  // namespace railyard::placement
