#include "placement/mapping/trunk_loads.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/placement/mapping_cases.hpp"
#include "topology/routing/router.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using topology::Cluster;
using topology::DeviceKind;
using namespace topology::testing;

/// Sums what a sprayed route puts on links, by trunk: a sink that asks the Router for every pair.
class RoutedLoads {
 public:
  RoutedLoads(const Cluster& cluster, const Tiers& tiers)
      : cluster_(cluster),
        tiers_(tiers),
        router_(cluster, {.policy = topology::RoutingPolicy::spray}),
        bytes_(tiers.trunk_count(), 0) {}

  void inside(Rank from, Rank to, double bytes) { send(from, to, bytes); }
  void across(Rank from, Rank to, double bytes) { send(from, to, bytes); }
  void exchange(std::span<const Rank> gpus, double each) {
    for (const Rank from : gpus) {
      for (const Rank to : gpus) {
        if (from != to) send(from, to, each);
      }
    }
  }
  const std::vector<double>& bytes() const { return bytes_; }

 private:
  void send(Rank from, Rank to, double bytes) {
    hops_.clear();
    router_.route({.source = cluster_.gpu(from), .destination = cluster_.gpu(to)}, hops_);
    const Tiers::GpuPosition &a = tiers_.gpu_position(from), &b = tiers_.gpu_position(to);
    for (const topology::Hop& hop : hops_) {
      const topology::Link& link = cluster_.link(hop.link);
      const int up = tier(cluster_.device(link.from).kind),
                down = tier(cluster_.device(link.to).kind);
      const double part = bytes * hop.share;
      if (up == 0 && down == 0) bytes_[hop.link.index()] += part;
      if (up == 0 && down == 1) bytes_[tiers_.port_up(a.nic)] += part;
      if (up == 1 && down == 0) bytes_[tiers_.port_down(b.nic)] += part;
      if (up == 1 && down == 2) bytes_[tiers_.leaf_up(a.leaf)] += part;
      if (up == 2 && down == 1) bytes_[tiers_.leaf_down(b.leaf)] += part;
      if (up == 2 && down == 3) bytes_[tiers_.pod_up(a.pod)] += part;
      if (up == 3 && down == 2) bytes_[tiers_.pod_down(b.pod)] += part;
    }
  }

  const Cluster& cluster_;
  const Tiers& tiers_;
  topology::Router router_;
  std::vector<double> bytes_;
  std::vector<topology::Hop> hops_;
};

struct FabricCase {
  std::string name;
  topology::FabricSpec fabric;
  int nodes;
};

class EveryFabric : public ::testing::TestWithParam<FabricCase> {};

TEST_P(EveryFabric, CarriesWhatSprayedRoutesPutOnIt) {
  constexpr int kGpus = 2;
  const Cluster cluster = small_cluster(GetParam().fabric, GetParam().nodes, kGpus);
  const Tiers tiers(cluster);
  const std::size_t ranks = cluster.rank_count();
  for (const auto pattern :
       {TrafficPattern::ring, TrafficPattern::chain, TrafficPattern::all_to_all}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      // Groups of unequal size over a random mapping: 3 ranks, 5 ranks, the rest.
      std::vector<JobRank> all;
      for (std::size_t r = 0; r < ranks; ++r) all.emplace_back(r);
      Traffic traffic{.pattern = pattern, .groups = {}, .bytes = Bytes(30'000)};
      traffic.groups.add(std::span(all).first(3));
      traffic.groups.add(std::span(all).subspan(3, 5));
      traffic.groups.add(std::span(all).subspan(8));
      const Mapping mapping = shuffled(ranks, seed);
      TrunkLoads folded(tiers, false);
      RoutedLoads routed(cluster, tiers);
      TrafficWalk walk(tiers);
      walk(traffic, mapping, folded);
      walk(traffic, mapping, routed);
      for (std::size_t t = 0; t < tiers.trunk_count(); ++t) {
        ASSERT_NEAR(folded.bytes(TrunkId(t)), routed.bytes()[t], 1e-6)
            << to_text(pattern) << ": " << tiers.name(TrunkId(t));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    TrunkLoads, EveryFabric,
    ::testing::Values(FabricCase{"single_switch", fabric_of(topology::FabricKind::single_switch),
                                 6},
                      FabricCase{"leaf_spine", leaf_spine(2), 6},
                      FabricCase{"clos3", clos3(2, 2), 8}, FabricCase{"fat_tree", fat_tree(4), 8},
                      FabricCase{"rail_clos", rail_clos(2, 2), 8},
                      FabricCase{"dual_plane", dual_plane(2, 2), 8}),
    [](const auto& fabric) { return fabric.param.name; });

TEST(Tiers, HaveTheBandwidthOfTheirLinks) {
  // clos3 with 2 nodes a unit and 2 units a pod; 2 NICs of 50 GB/s a node; nothing oversubscribed.
  const Cluster cluster = small_cluster(without_headers(clos3(2, 2)), 8, 2);
  const Tiers tiers(cluster);
  ASSERT_EQ(tiers.leaf_count(), 4u);
  ASSERT_EQ(tiers.pod_count(), 2u);
  EXPECT_DOUBLE_EQ(tiers.bandwidth()[tiers.port_up(0)], 50e9);
  EXPECT_DOUBLE_EQ(tiers.bandwidth()[tiers.leaf_up(0)], 4 * 50e9);
  EXPECT_DOUBLE_EQ(tiers.bandwidth()[tiers.leaf_down(3)], 4 * 50e9);
  EXPECT_DOUBLE_EQ(tiers.bandwidth()[tiers.pod_up(1)], 8 * 50e9);
  EXPECT_EQ(tiers.name(TrunkId(tiers.pod_down(1))), "downlinks to pod 1");
}

TEST(Tiers, HaveOneLeafForTheTwoPortsOfADualPlaneNic) {
  const Cluster cluster = small_cluster(without_headers(dual_plane(2, 2)), 8, 2);
  const Tiers tiers(cluster);
  EXPECT_EQ(tiers.leaf_count(), 8u);  // 4 units x 2 rails
  EXPECT_DOUBLE_EQ(tiers.bandwidth()[tiers.port_up(0)], 50e9);
  EXPECT_DOUBLE_EQ(tiers.bandwidth()[tiers.leaf_up(0)], 2 * 50e9);
}

}  // namespace
}  // namespace railyard::placement
