#include "placement/simulate/contention.hpp"

#include <gtest/gtest.h>

#include "collectives/algorithms/algorithm.hpp"
#include "placement/cost/closed_form.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/topology/small_fabric.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;
using namespace topology::testing;

// Four nodes of one GPU, two a leaf; dp pairs (0,1) and (2,3), pp pairs (0,2) and (1,3), so that
// both leave each node by its one port (400 Gb/s). A reduce_scatter of 2B over two ranks sends B; a
// hop of B sends B: together the port carries twice as much, and both take twice as long.
TEST(ContentionOnAFlowNetwork, TwoGroupsOnOnePortTakeTwiceAsLong) {
  const topology::Cluster cluster = small_cluster(leaf_spine(2), 4, 1);
  sim::FlowNetwork flow(cluster);
  const Engine engine{.cluster = cluster,
                      .executor = flow,
                      .schedule = [&](const std::shared_ptr<const collectives::Group>& group,
                                      const collectives::Collective& collective) {
                        return collectives::build_schedule(
                            collective.kind == Kind::send_recv ? "neighbour" : "ring",
                            {cluster, group, collective, {}});
                      }};
  ClosedForm otherwise{{.gpus_per_node = 1, .nvlink = 100_GBps, .nics = 50_GBps, .nic_count = 1}};
  const Strategy s{.pp = 2, .dp = 2};
  const GroupShapes shapes = group_shapes(s, kDefaultOrder, 1);
  Mapping mapping;
  for (std::size_t r = 0; r < 4; ++r) mapping.gpus.emplace_back(r);
  const ExecutedCollectives executed(std::make_shared<GroupRuns>(engine), otherwise, s, mapping);
  const double bytes = 1e9;
  const std::vector<GroupCollective> loads{
      {Kind::reduce_scatter, GroupRole::data, shapes.replicas, 2 * bytes},
      {Kind::send_recv, GroupRole::pipeline, shapes.pp, bytes}};
  const double dp = executed.time(loads[0]).seconds();
  const double pp = executed.time(loads[1]).seconds();
  // 1 GB over 50 GB/s of wire: 20 ms and a little for headers and latency.
  EXPECT_NEAR(dp, 0.020, 0.002);
  EXPECT_NEAR(pp, 0.020, 0.002);
  const std::vector<Time> both = executed.together(loads);
  EXPECT_NEAR(both[0].seconds(), 2 * dp, 0.02 * dp);
  EXPECT_NEAR(both[1].seconds(), 2 * pp, 0.02 * pp);
  // Alone in the simulation it takes what it takes alone.
  EXPECT_EQ(executed.together(std::span(loads).first(1)).front().seconds(), dp);
}

}  // namespace
}  // namespace railyard::placement
