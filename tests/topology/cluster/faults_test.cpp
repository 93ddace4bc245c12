#include "topology/cluster/faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/topology/small_fabric.hpp"
#include "topology/cluster/add_faults.hpp"
#include "topology/routing/router.hpp"

namespace railyard::topology {
namespace {

using namespace testing;  // NOLINT: small_fabric.hpp
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::vector<std::string> named(const Cluster& cluster, const std::vector<LinkId>& links) {
  std::vector<std::string> names;
  for (const LinkId link : links) names.push_back(cluster.name(link));
  return names;
}

/// The links of a device that leave its node.
std::vector<LinkId> cables_of(const Cluster& cluster, std::string_view device) {
  std::vector<LinkId> links = find_links(cluster, device);
  std::erase_if(links, [&](LinkId id) {
    const Link& link = cluster.link(id);
    return cluster.device(link.from).node == cluster.device(link.to).node;
  });
  EXPECT_FALSE(links.empty());
  return links;
}

template <class Call>
std::string refusal(Call&& call) {
  try {
    (void)call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

class Faulty : public ::testing::Test {
 protected:
  const Cluster cluster = small_cluster(leaf_spine(2), 4, 1);
};

TEST_F(Faulty, DashesNameBothDirections) {
  EXPECT_THAT(named(cluster, find_links(cluster, "pod0/leaf1 -- pod0/spine0")),
              UnorderedElementsAre("pod0/leaf1 -> pod0/spine0", "pod0/spine0 -> pod0/leaf1"));
}

TEST_F(Faulty, AnArrowNamesOneDirection) {
  EXPECT_THAT(named(cluster, find_links(cluster, "pod0/leaf1->pod0/spine0")),
              UnorderedElementsAre("pod0/leaf1 -> pod0/spine0"));
}

TEST_F(Faulty, ADeviceNamesAllItsLinks) {
  EXPECT_THAT(named(cluster, find_links(cluster, "pod0/spine0")),
              UnorderedElementsAre("pod0/leaf0 -> pod0/spine0", "pod0/spine0 -> pod0/leaf0",
                                   "pod0/leaf1 -> pod0/spine0", "pod0/spine0 -> pod0/leaf1"));
}

TEST_F(Faulty, AHashNamesOneOfParallelCables) {
  FabricSpec spec = leaf_spine(2);
  spec.spines_per_pod = 1;  // two cables to the one spine
  const Cluster parallel = small_cluster(spec, 4, 1);
  EXPECT_EQ(find_links(parallel, "pod0/leaf1 -- pod0/spine0").size(), 4U);
  const auto first = find_links(parallel, "pod0/leaf1 -- pod0/spine0 #0");
  const auto second = find_links(parallel, "pod0/leaf1 -- pod0/spine0#1");
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(parallel.link(first[0]).reverse, first[1]);
  EXPECT_NE(first[0], second[0]);
  EXPECT_THAT(refusal([&] { return find_links(parallel, "pod0/leaf1 -- pod0/spine0#2"); }),
              HasSubstr("there are 2: #0 to #1"));
}

TEST_F(Faulty, WrongNamesAreAnsweredWithNearOnes) {
  EXPECT_THAT(refusal([&] { return find_links(cluster, "pod0/leef1"); }),
              HasSubstr("did you mean 'pod0/leaf1'?"));
  EXPECT_THAT(refusal([&] { return find_links(cluster, "node2/nik0"); }),
              HasSubstr("did you mean 'node2/nic0'?"));
  EXPECT_THAT(refusal([&] { return find_links(cluster, "rack7"); }), HasSubstr("node0 to node3"));
}

TEST_F(Faulty, EndsThatAreNotJoinedAreAnsweredWithNeighbours) {
  EXPECT_THAT(refusal([&] { return find_links(cluster, "pod0/leaf0 -- pod0/leaf1"); }),
              HasSubstr("pod0/leaf0 is connected to"));
  EXPECT_THAT(refusal([&] { return find_links(cluster, "pod0/leaf0 -- pod0/leaf1"); }),
              HasSubstr("pod0/spine1"));
}

TEST_F(Faulty, BrokenSelectorsAreRefused) {
  EXPECT_THAT(refusal([&] { return find_links(cluster, " "); }), HasSubstr("no link is given"));
  EXPECT_THAT(refusal([&] { return find_links(cluster, "pod0/leaf0 -- "); }),
              HasSubstr("an end without a name"));
  EXPECT_THAT(refusal([&] { return find_links(cluster, "pod0/leaf0#x"); }),
              HasSubstr("'#x' is not the number of a cable"));
}

TEST_F(Faulty, FailuresBeginAtTheirTime) {
  EXPECT_EQ(parse_failure(cluster, "node3/nic0").at, Time());
  const TimedFault fault = parse_failure(cluster, "node3/nic0 @ 2 ms");
  EXPECT_EQ(fault.at, Time::milliseconds(2));
  EXPECT_EQ(fault.faults.failed, find_links(cluster, "node3/nic0"));
  EXPECT_TRUE(fault.faults.degraded.empty());
  EXPECT_THAT(refusal([&] { return parse_failure(cluster, "node3/nic0@2"); }), HasSubstr("@2"));
}

TEST_F(Faulty, AFaultMayEnd) {
  EXPECT_FALSE(parse_failure(cluster, "node3/nic0@2ms").ends());
  const TimedFault flap = parse_failure(cluster, "node3/nic0 @ 2ms .. 5 ms");
  EXPECT_EQ(flap.at, Time::milliseconds(2));
  EXPECT_EQ(flap.until, Time::milliseconds(5));
  EXPECT_EQ(parse_degradation(cluster, "pod0/spine1:0.25@1ms..2ms").until, Time::milliseconds(2));
  EXPECT_THAT(refusal([&] { return parse_failure(cluster, "node3/nic0@5ms..2ms"); }),
              HasSubstr("ends before it begins"));
  EXPECT_THAT(refusal([&] { return parse_failure(cluster, "node3/nic0@5ms.."); }),
              HasSubstr("@2ms..5ms"));
}

TEST_F(Faulty, DegradationsLeaveAPart) {
  const TimedFault fault = parse_degradation(cluster, "pod0/spine1:0.25@1ms");
  EXPECT_EQ(fault.at, Time::milliseconds(1));
  ASSERT_EQ(fault.faults.degraded.size(), 4U);
  for (const Degradation& d : fault.faults.degraded) EXPECT_EQ(d.factor, 0.25);
  EXPECT_THAT(refusal([&] { return parse_degradation(cluster, "pod0/spine1"); }),
              HasSubstr("after a colon"));
  EXPECT_THAT(refusal([&] { return parse_degradation(cluster, "pod0/spine1:0"); }),
              HasSubstr("--fail"));
  EXPECT_THAT(refusal([&] { return parse_degradation(cluster, "pod0/spine1:1.5"); }),
              HasSubstr("not a part in (0, 1]"));
}

TEST_F(Faulty, WhoIsCutOffIsNamed) {
  Router router(cluster, {}, {find_links(cluster, "node3/nic0"), {}});
  std::vector<Hop> hops;
  const auto route = [&](std::string_view from, std::string_view to) {
    return refusal([&] {
      router.route({.source = device(cluster, from), .destination = device(cluster, to)}, hops);
      return 0;
    });
  };
  EXPECT_THAT(route("node0/nic0", "node3/nic0"),
              HasSubstr("no path from node0/nic0 to node3/nic0"));
  EXPECT_THAT(route("node0/nic0", "node3/nic0"), HasSubstr("the failed links disconnect them"));
  EXPECT_TRUE(hops.empty());
  EXPECT_EQ(route("node0/nic0", "node2/nic0"), "accepted");
}

TEST_F(Faulty, BothSpinesFailedCutLeavesApart) {
  std::vector<LinkId> failed = find_links(cluster, "pod0/leaf0 -- pod0/spine0");
  for (const LinkId link : find_links(cluster, "pod0/spine1 -> pod0/leaf1")) failed.push_back(link);
  Router router(cluster, {}, {failed, {}});
  std::vector<Hop> hops;
  const Connection over{.source = device(cluster, "node0/nic0"),
                        .destination = device(cluster, "node2/nic0")};
  EXPECT_THAT(refusal([&] {
                router.route(over, hops);
                return 0;
              }),
              HasSubstr("no path from node0/nic0 to node2/nic0"));
  // Back: leaf1 up to spine0 or spine1; spine0 has lost leaf0, spine1 has not.
  router.route({.source = over.destination, .destination = over.source}, hops);
  EXPECT_EQ(cluster.name(hops[1].link), "pod0/leaf1 -> pod0/spine1");
}

TEST(NodeFaults, AFailedNvlinkIsReplacedByPcie) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  Router router(cluster, {}, {find_links(cluster, "node0/gpu0 -- node0/nvswitch"), {}});
  std::vector<Hop> hops;
  router.route(
      {.source = device(cluster, "node0/gpu0"), .destination = device(cluster, "node0/gpu1")},
      hops);
  std::vector<LinkId> links;
  for (const Hop& hop : hops) links.push_back(hop.link);
  EXPECT_THAT(named(cluster, links),
              ::testing::ElementsAre("node0/gpu0 -> node0/pcie0", "node0/pcie0 -> node0/cpu0",
                                     "node0/cpu0 -> node0/pcie1", "node0/pcie1 -> node0/gpu1"));
}

TEST(NodeFaults, AGpuWithoutLinksIsCutOff) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 2, 2);
  Router router(cluster, {}, {find_links(cluster, "node0/gpu0"), {}});
  std::vector<Hop> hops;
  EXPECT_THAT(refusal([&] {
                router.route({.source = device(cluster, "node0/gpu0"),
                              .destination = device(cluster, "node0/gpu1")},
                             hops);
                return 0;
              }),
              HasSubstr("no path inside the node from node0/gpu0 to node0/gpu1"));
}

TEST(NodeFaults, OnlyNodesWithAFaultInsideDiffer) {
  const Cluster cluster = small_cluster(fabric_of(FabricKind::single_switch), 4, 2);
  const std::vector<TimedFault> faults{
      parse_failure(cluster, "node1/gpu0 -- node1/nvswitch"),
      parse_degradation(cluster, "node3/gpu1 -> node3/pcie1:0.5@1ms"),
      // The NIC's cable is between node 2 and the switch, and in neither.
      {.at = Time(), .faults = {.failed = cables_of(cluster, "node2/nic0"), .degraded = {}}}};
  EXPECT_THAT(nodes_with_faults(cluster, faults), ::testing::ElementsAre(NodeId(1), NodeId(3)));
}

}  // namespace
}  // namespace railyard::topology
