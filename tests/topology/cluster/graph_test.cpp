#include "topology/cluster/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/topology/small_fabric.hpp"
#include "topology/cluster/bisection.hpp"

namespace railyard::topology {
namespace {

using namespace testing;  // NOLINT: small_fabric.hpp
using namespace railyard::literals;
using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> names(const Cluster& cluster, const std::vector<LinkId>& links) {
  std::vector<std::string> found;
  for (const LinkId link : links) found.push_back(cluster.name(link));
  return found;
}

TEST(Graph, ShortestPathIsTheFewestLinks) {
  const Cluster cluster = small_cluster(triangle(), 4, 1);
  const auto path = shortest_path(cluster, device(cluster, "node0/nic0"), device(cluster, "d"));
  ASSERT_TRUE(path.has_value());
  EXPECT_THAT(names(cluster, *path), ElementsAre("node0/nic0 -> a", "a -> c", "c -> d"));
  const auto hops = hops_from(cluster, device(cluster, "node0/nic0"));
  EXPECT_EQ(hops[device(cluster, "node0/nic0").index()], 0);
  EXPECT_EQ(hops[device(cluster, "d").index()], 3);
}

TEST(Graph, FailedLinksAreNotCrossed) {
  const Cluster cluster = small_cluster(triangle(), 4, 1);
  const Faults faults{find_links(cluster, "c -- d"), {}};
  EXPECT_FALSE(
      shortest_path(cluster, device(cluster, "a"), device(cluster, "d"), faults).has_value());
  EXPECT_EQ(hops_from(cluster, device(cluster, "a"), faults)[device(cluster, "d").index()], -1);
}

TEST(Graph, ALinkThatFailsOneWayDisconnects) {
  const Cluster cluster = small_cluster(triangle(), 4, 1);
  EXPECT_TRUE(is_connected(cluster));
  EXPECT_TRUE(is_connected(cluster, {find_links(cluster, "a -> b"), {}}));  // b still over c
  const Faults faults{find_links(cluster, "c -> d"), {}};
  EXPECT_FALSE(is_connected(cluster, faults));
  const auto parts = components(cluster, faults);
  EXPECT_EQ(parts[device(cluster, "a").index()], parts[device(cluster, "c").index()]);
  EXPECT_NE(parts[device(cluster, "c").index()], parts[device(cluster, "d").index()]);
  EXPECT_EQ(parts[device(cluster, "d").index()], parts[device(cluster, "node3/gpu0").index()]);
}

// a reaches d over c -> d alone: 400 Gb/s, 100 when degraded to a quarter.
TEST(Graph, MaxFlowNamesTheBottleneck) {
  const Cluster cluster = small_cluster(triangle(), 4, 1);
  const std::vector<DeviceId> from{device(cluster, "a")}, to{device(cluster, "d")};
  const Cut cut = max_flow(cluster, from, to);
  EXPECT_EQ(cut.bandwidth, 400_Gbps);
  EXPECT_THAT(names(cluster, cut.links), ElementsAre("c -> d"));
  const Faults degraded = parse_degradation(cluster, "c -> d:0.25").faults;
  EXPECT_EQ(max_flow(cluster, from, to, degraded).bandwidth, 100_Gbps);
}

// Between the sides {a} and {b, c, d} two cables of 400 Gb/s cross.
TEST(Graph, MaxFlowSumsParallelWays) {
  const Cluster cluster = small_cluster(triangle(), 4, 1);
  const std::vector<DeviceId> from{device(cluster, "a")},
      to{device(cluster, "b"), device(cluster, "c")};
  EXPECT_EQ(max_flow(cluster, from, to).bandwidth, 800_Gbps);
}

struct Fabric {
  std::string name;
  FabricSpec spec;
  int nodes;
  int gpus;
  Bandwidth bisection;
};

FabricSpec oversubscribed(FabricSpec spec, double leaf, double spine) {
  spec.leaf_oversubscription = leaf;
  spec.spine_oversubscription = spine;
  return spec;
}

// The NICs of half of the nodes send 400 Gb/s each where the fabric does not block; where it does,
// what leaves the leaves (or pods) of that half.
std::vector<Fabric> fabrics() {
  return {
      {"single switch: 4 NICs", fabric_of(FabricKind::single_switch), 4, 2, 1600_Gbps},
      {"leaf-spine 1:1: 8 NICs", leaf_spine(4), 8, 2, 3200_Gbps},
      {"leaf-spine 2:1: one leaf of 8 x 400 up by 1600", oversubscribed(leaf_spine(4), 2, 1), 8, 2,
       1600_Gbps},
      {"three leaves of two, 2:1: halves of 3 nodes cut the middle leaf, whose third node turns "
       "there:"
       " 400 + leaf 0 up 400",
       oversubscribed(leaf_spine(2), 2, 1), 6, 1, 800_Gbps},
      {"clos3 1:1", clos3(2, 2), 8, 2, 3200_Gbps},
      {"clos3, pods 4:1: pod of 8 x 400 up by 800", oversubscribed(clos3(2, 2), 1, 4), 8, 2,
       800_Gbps},
      {"rail_clos 1:1", rail_clos(2, 2), 8, 2, 3200_Gbps},
      {"rail_clos, leaves and pods 2:1: pod of 8 x 400 up by 800",
       oversubscribed(rail_clos(2, 2), 2, 2), 8, 2, 800_Gbps},
      {"rail_only", fabric_of(FabricKind::rail_only), 6, 2, 2400_Gbps},
      {"dual plane: 8 NICs", dual_plane(2, 2), 8, 2, 3200_Gbps},
      {"fat tree k = 4: 8 NICs", fat_tree(4), 16, 1, 3200_Gbps},
  };
}

TEST(Graph, BisectionIsWhatHalfOfTheNodesCanSend) {
  for (const Fabric& fabric : fabrics()) {
    const Cluster cluster = small_cluster(fabric.spec, fabric.nodes, fabric.gpus);
    EXPECT_EQ(bisection(cluster, {}, BisectionMethod::full).bandwidth, fabric.bisection)
        << fabric.name;
  }
}

TEST(Graph, FoldedBisectionEqualsTheFull) {
  for (const Fabric& fabric : fabrics()) {
    const Cluster cluster = small_cluster(fabric.spec, fabric.nodes, fabric.gpus);
    EXPECT_EQ(bisection(cluster, {}, BisectionMethod::folded).bandwidth, fabric.bisection)
        << fabric.name;
  }
}

TEST(Graph, TheCutOfABisectionCarriesJustItsFlow) {
  for (const Fabric& fabric : fabrics()) {
    const Cluster cluster = small_cluster(fabric.spec, fabric.nodes, fabric.gpus);
    for (const auto method : {BisectionMethod::full, BisectionMethod::folded}) {
      const Cut cut = bisection(cluster, {}, method);
      Bandwidth sum;
      for (const LinkId link : cut.links) sum += cluster.link(link).bandwidth;
      EXPECT_EQ(sum, cut.bandwidth) << fabric.name;
    }
  }
}

// Leaf 0 has 4 cables up to 4 spines; with one failed (both ways), 3 x 400 Gb/s leave it.
TEST(Graph, BisectionSeesFailedLinks) {
  const Cluster cluster = small_cluster(leaf_spine(4), 8, 1);
  ASSERT_EQ(bisection(cluster).bandwidth, 1600_Gbps);
  const Faults faults{find_links(cluster, "pod0/leaf0 -- pod0/spine2"), {}};
  EXPECT_EQ(bisection(cluster, faults).bandwidth, 1200_Gbps);
  EXPECT_THAT(bisection(cluster, faults).links, SizeIs(3));
  EXPECT_THROW((void)bisection(cluster, faults, BisectionMethod::folded), InputError);
}

TEST(Graph, BisectionOfOneNodeIsZero) {
  EXPECT_EQ(bisection(small_cluster(fabric_of(FabricKind::single_switch), 1, 2)).bandwidth,
            Bandwidth());
}

}  // namespace
}  // namespace railyard::topology
