#include "topology/routing/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::topology {
namespace {

using namespace testing;  // NOLINT: small_fabric.hpp
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Connection between(const Cluster& cluster, std::string_view from, std::string_view to) {
  return {.source = device(cluster, from), .destination = device(cluster, to)};
}

std::vector<std::string> names(const Cluster& cluster, const std::vector<Hop>& hops) {
  std::vector<std::string> found;
  for (const Hop& hop : hops) found.push_back(cluster.name(hop.link));
  return found;
}

std::vector<std::string> route(const Cluster& cluster, const Connection& connection,
                               const RoutingOptions& options = {}, const Faults& faults = {}) {
  Router router(cluster, options, faults);
  std::vector<Hop> hops;
  router.route(connection, hops);
  return names(cluster, hops);
}

std::string refusal(const Cluster& cluster, const Connection& connection,
                    const Faults& faults = {}) {
  try {
    route(cluster, connection, {}, faults);
  } catch (const InputError& error) {
    return error.what();
  }
  return "routed";
}

TEST(Router, GpusOfANodeTalkOverTheNvswitch) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  EXPECT_THAT(route(cluster, between(cluster, "node1/gpu0", "node1/gpu1")),
              ElementsAre("node1/gpu0 -> node1/nvswitch", "node1/nvswitch -> node1/gpu1"));
}

TEST(Router, SourceEqualToDestinationCrossesNothing) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  EXPECT_THAT(route(cluster, between(cluster, "node1/gpu0", "node1/gpu0")), ElementsAre());
}

TEST(Router, NodesOfOneLeafMeetAtIt) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  EXPECT_THAT(route(cluster, between(cluster, "node0/gpu1", "node1/gpu0")),
              ElementsAre("node0/gpu1 -> node0/pcie1", "node0/pcie1 -> node0/nic1",
                          "node0/nic1 -> pod0/leaf0", "pod0/leaf0 -> node1/nic0",
                          "node1/nic0 -> node1/pcie0", "node1/pcie0 -> node1/gpu0"));
}

TEST(Router, ANicThatIsAskedForIsTaken) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  Connection connection = between(cluster, "node0/gpu1", "node1/gpu0");
  connection.source_nic = 1;
  connection.destination_nic = 1;
  EXPECT_THAT(route(cluster, connection),
              ElementsAre("node0/gpu1 -> node0/pcie1", "node0/pcie1 -> node0/nic1",
                          "node0/nic1 -> pod0/leaf0", "pod0/leaf0 -> node1/nic1",
                          "node1/nic1 -> node1/pcie1", "node1/pcie1 -> node1/cpu0",
                          "node1/cpu0 -> node1/pcie0", "node1/pcie0 -> node1/gpu0"));
}

// rail_clos, 2 nodes a unit, 2 units a pod, 2 rails: a leaf has 2 ports down and 2 up; a pod has 2
// x 2 leaves and 2 spines of 4 ports down and 4 up. node7 is the second of its unit: position 1, so
// the way climbs by spine1. Its leaf (unit 3, rail 0) is number 6 of the fabric, d = 6 * 2 + 1 =
// 13, and the spine climbs by cable floor(13 / 2) mod 4 = 2 of its group: cores 4 to 7, hence
// core6.
// The paths of the queue pairs, one by one, are what route() merges: the same links, each with a
// quarter for every path that crosses it.
TEST(Router, PathsOfQueuePairsAddUpToTheRoute) {
  auto fabric = fabric_of(FabricKind::leaf_spine);
  fabric.nodes_per_unit = 2;
  const Cluster cluster = small_cluster(fabric, 4, 2);
  const Connection connection = between(cluster, "node0/gpu1", "node3/gpu0");
  Router router(cluster, {.policy = RoutingPolicy::ecmp, .qps = 4});
  std::vector<Hop> hops;
  router.route(connection, hops);
  std::vector<std::vector<LinkId>> paths;
  router.paths(connection, 4, paths);
  ASSERT_EQ(paths.size(), 4U);
  for (const Hop& hop : hops) {
    double share = 0;
    for (const auto& path : paths)
      share += 0.25 * static_cast<double>(std::ranges::count(path, hop.link));
    EXPECT_DOUBLE_EQ(share, hop.share) << cluster.name(hop.link);
  }
  // A way inside a node is the same for all.
  paths.clear();
  router.paths(between(cluster, "node0/gpu0", "node0/gpu1"), 2, paths);
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0], paths[1]);
  EXPECT_EQ(paths[0].size(), 2U);
}

TEST(Router, RailPolicyClimbsByTheNumberOfTheDestination) {
  const Cluster cluster = small_cluster(rail_clos(2, 2), 8, 2);
  EXPECT_THAT(
      route(cluster, between(cluster, "node0/nic0", "node7/nic0")),
      ElementsAre("node0/nic0 -> pod0/leaf0", "pod0/leaf0 -> pod0/spine1", "pod0/spine1 -> core6",
                  "core6 -> pod1/spine1", "pod1/spine1 -> pod1/leaf2", "pod1/leaf2 -> node7/nic0"));
}

TEST(Router, WaysWithinAPodTurnAtItsSpines) {
  const Cluster cluster = small_cluster(rail_clos(2, 2), 8, 2);
  EXPECT_THAT(route(cluster, between(cluster, "node0/nic0", "node2/nic1")),
              ElementsAre("node0/nic0 -> pod0/leaf0", "pod0/leaf0 -> pod0/spine0",
                          "pod0/spine0 -> pod0/leaf3", "pod0/leaf3 -> node2/nic1"));
}

TEST(Router, ReducersAreReachedUpAndDown) {
  const Cluster cluster = small_cluster(rail_clos(2, 2), 8, 2);
  EXPECT_THAT(route(cluster, between(cluster, "node0/gpu0", "node0/nvswitch")),
              ElementsAre("node0/gpu0 -> node0/nvswitch"));
  EXPECT_THAT(route(cluster, between(cluster, "node0/nvswitch", "node0/gpu1")),
              ElementsAre("node0/nvswitch -> node0/gpu1"));
  EXPECT_THAT(
      route(cluster, between(cluster, "node0/nic0", "core6")),
      ElementsAre("node0/nic0 -> pod0/leaf0", "pod0/leaf0 -> pod0/spine1", "pod0/spine1 -> core6"));
  EXPECT_THAT(
      route(cluster, between(cluster, "core6", "node7/nic0")),
      ElementsAre("core6 -> pod1/spine1", "pod1/spine1 -> pod1/leaf2", "pod1/leaf2 -> node7/nic0"));
  EXPECT_EQ(route(cluster, between(cluster, "pod0/spine1", "pod1/spine1")).size(), 2U);
}

TEST(Router, ANeighboursNvswitchIsRefused) {
  const Cluster cluster = small_cluster(rail_clos(2, 2), 8, 2);
  EXPECT_THAT(refusal(cluster, between(cluster, "node0/gpu0", "node1/nvswitch")),
              HasSubstr("node1/nvswitch can only be reached from its own node"));
}

TEST(Router, RailOnlyRefusesToCrossRailsAndSaysWhatToDo) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::rail_only), 4, 2);
  EXPECT_EQ(route(cluster, between(cluster, "node0/gpu1", "node3/gpu1")).size(), 6U);
  const std::string text = refusal(cluster, between(cluster, "node0/gpu0", "node3/gpu1"));
  EXPECT_THAT(text,
              HasSubstr("no path from node0/gpu0 (by node0/nic0) to node3/gpu1 (by node3/nic1)"));
  EXPECT_THAT(text, HasSubstr("use PXN"));
}

TEST(Router, UnknownNicsAreRefused) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  Connection connection = between(cluster, "node0/gpu0", "node1/gpu0");
  connection.source_nic = 7;
  EXPECT_THAT(refusal(cluster, connection), HasSubstr("node0 has no nic7"));
}

TEST(Router, QueuePairsBelowOneAreRefused) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  EXPECT_THROW(Router(cluster, {.qps = 0}), InputError);
}

// a - b, b - c, c - a, c - d: from a to d over c alone.
TEST(Router, ExplicitFabricsAreRoutedByShortestWays) {
  const Cluster cluster = small_cluster(triangle(), 4, 1);
  EXPECT_THAT(route(cluster, between(cluster, "node0/nic0", "node3/nic0")),
              ElementsAre("node0/nic0 -> a", "a -> c", "c -> d", "d -> node3/nic0"));
  Faults faults;
  faults.failed = find_links(cluster, "a -- c");
  EXPECT_THAT(route(cluster, between(cluster, "node0/nic0", "node3/nic0"), {}, faults),
              ElementsAre("node0/nic0 -> a", "a -> b", "b -> c", "c -> d", "d -> node3/nic0"));
}

TEST(Router, SprayMergesLinksAndSplitsEvenly) {
  // 2 nodes a unit, 1 NIC: 2 spines a pod with 2 leaves, so 2 cores above each: s = 2, c = 2.
  const Cluster cluster = small_cluster(rail_clos(2, 2), 8, 1);
  Router router(cluster, {.policy = RoutingPolicy::spray});
  std::vector<Hop> hops;
  router.route(between(cluster, "node0/nic0", "node7/nic0"), hops);
  // port, 2 up, 4 to cores, 4 down, 2 down, port.
  ASSERT_EQ(hops.size(), 1U + 2 + 4 + 4 + 2 + 1);
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const bool is_leaf_link = i == 1 || i == 2 || i == 11 || i == 12;
    const bool is_port = i == 0 || i == 13;
    EXPECT_EQ(hops[i].share, is_port ? 1.0 : is_leaf_link ? 0.5 : 0.25) << i;
  }
}

TEST(Router, DualPlaneNicsAlternatePlanesByLabel) {
  const Cluster cluster = small_cluster(dual_plane(2, 2), 8, 1);
  Connection connection = between(cluster, "node0/nic0", "node5/nic0");
  std::vector<std::string> first = route(cluster, connection);
  connection.label = 1;
  std::vector<std::string> second = route(cluster, connection);
  ASSERT_EQ(first.size(), 6U);
  ASSERT_EQ(second.size(), 6U);
  EXPECT_NE(first[0], second[0]);
  for (const auto& way : {first, second}) {
    const std::string plane = way[0].substr(way[0].find("plane"), 6);
    for (const std::string& link : way) EXPECT_THAT(link, HasSubstr(plane));
  }
}

TEST(Router, RoutesAreAppended) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  Router router(cluster, {});
  std::vector<Hop> hops;
  router.route(between(cluster, "node0/gpu0", "node0/gpu1"), hops);
  router.route(between(cluster, "node1/gpu0", "node1/gpu1"), hops);
  EXPECT_EQ(hops.size(), 4U);
}

}  // namespace
}  // namespace railyard::topology
