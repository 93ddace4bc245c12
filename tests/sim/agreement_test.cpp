// Streams, expanded transfers and the analytic bound against one another.
#include <gtest/gtest.h>

#include "sim/analytic/analytic_network.hpp"
#include "sim/flow/flow_network.hpp"
#include "sim/flow/stage.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::Schedule;
using topology::Cluster;

constexpr topology::StepOverheads kOverheads{
    .launch = 10_us, .nvlink = 3_us, .pcie = 4_us, .network = 14_us};

Time flow(const Cluster& cluster, const Schedule& schedule, bool expand) {
  const collectives::Task task{.schedule = &schedule, .start = {}, .name = {}};
  return duration(FlowNetwork(cluster, {.expand = expand, .certify = true}).run({&task, 1}));
}

Time analytic(const Cluster& cluster, const Schedule& schedule) {
  const collectives::Task task{.schedule = &schedule, .start = {}, .name = {}};
  return duration(AnalyticNetwork(cluster).run({&task, 1}));
}

void expect_all_equal(const Cluster& cluster, const Schedule& schedule) {
  const double streams = flow(cluster, schedule, false).seconds();
  EXPECT_NEAR(flow(cluster, schedule, true).seconds(), streams, streams * 1e-6);
  EXPECT_NEAR(analytic(cluster, schedule).seconds(), streams, streams * 1e-6);
}

TEST(Agreement, RingOnOneNodeWithoutLatency) {
  const auto cluster = single_switch(1, 8);
  expect_all_equal(cluster, schedule(cluster, "ring", {.bytes = 64_MB}, {.channels = 1}));
}

TEST(Agreement, RingOnOneNodeWithLatency) {
  const auto cluster = single_switch(1, 8, kOverheads);
  expect_all_equal(cluster, schedule(cluster, "ring", {.bytes = 64_MB}, {.channels = 1}));
  expect_all_equal(cluster, schedule(cluster, "ring", {.bytes = 64_KiB}, {.channels = 2}));
}

TEST(Agreement, RingsOfEveryKindBetweenNodesWithLatency) {
  const auto cluster = testing::cluster(6, 1, leaf_spine(3), kOverheads);
  for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter})
    expect_all_equal(cluster,
                     schedule(cluster, "ring", {.kind = kind, .bytes = 24_MB}, {.channels = 1}));
}

TEST(Agreement, PairwiseAllToAll) {
  for (const double oversubscription : {1.0, 2.0, 4.0}) {
    const auto cluster = testing::cluster(8, 1, leaf_spine(4, oversubscription), kOverheads);
    expect_all_equal(cluster,
                     schedule(cluster, "direct", {.kind = Kind::all_to_all, .bytes = 80_MB}));
  }
}

TEST(Agreement, BroadcastAlongARing) {
  // Equal chunks, one connection on every link: fill and steady state are exact.
  const auto cluster = single_switch(4, 1, kOverheads);
  expect_all_equal(cluster, schedule(cluster, "ring", {.kind = Kind::broadcast, .bytes = 64_MB},
                                     {.channels = 1, .chunk = 4_MB}));
}

TEST(Agreement, ExpandedRingsWithSlowAndFastEdgesLieBetweenTheTerms) {
  // Two nodes of 4: NVLink edges and slower NIC edges. In the expanded run a transfer waits for the
  // piece (the edge before, one iteration earlier) and for its connection (the same edge, one
  // iteration earlier), so every chain of waits has at most 2 (n - 1) transfers of at most one slow
  // piece each: its bytes never take longer than the stream's, its alphas never more than the ring
  // latency. It cannot beat the slow edge's bytes.
  const auto quiet = single_switch(2, 4);
  const auto with_latency = single_switch(2, 4, kOverheads);
  const auto bandwidth =
      flow(quiet, schedule(quiet, "ring", {.bytes = 64_MB}, {.channels = 1}), false);
  EXPECT_EQ(bandwidth,
            flow(quiet, schedule(quiet, "ring", {.bytes = 64_MB}, {.channels = 1}), true));
  const auto ring = schedule(with_latency, "ring", {.bytes = 64_MB}, {.channels = 1});
  const auto expanded = flow(with_latency, ring, true);
  EXPECT_GE(expanded, bandwidth);
  EXPECT_LE(expanded, flow(with_latency, ring, false));
}

TEST(Agreement, ExpandedTreesDifferByLessThanTheirFill) {
  // Which transfers meet on a link while the pipeline fills and drains depends on the order of
  // events; the steady state is the same. A chunk of c = 1 MB (20 us at 50 GB/s) passes at most 2
  // ceil(log2 N) hops up and down, each beside at most one sibling: both runs differ by less than
  // 4 ceil(log2 N) * 20 us.
  for (const auto& [nodes, depth] : {std::pair{2, 1}, {3, 2}, {4, 2}, {8, 3}})
    for (const int channels : {1, 2, 4}) {
      const auto cluster = single_switch(nodes, 1);
      const auto tree =
          schedule(cluster, "tree", {.bytes = 200_MB}, {.channels = channels, .chunk = 1_MB});
      ASSERT_EQ(tree.channels()[0].loops[0].repeat, 200u / static_cast<unsigned>(channels));
      const double bound = 4 * depth * 20e-6;
      EXPECT_NEAR(flow(cluster, tree, true).seconds(), flow(cluster, tree, false).seconds(), bound)
          << nodes;
      EXPECT_EQ(analytic(cluster, tree), flow(cluster, tree, false));
    }
}

bool has_stage(const Schedule& schedule, Stage::Kind kind) {
  for (const auto& channel : schedule.channels())
    for (const auto& stage : stages(channel))
      if (stage.kind == kind) return true;
  return false;
}

void expect_within_bounds(const Cluster& cluster, const Schedule& schedule) {
  const double streams = flow(cluster, schedule, false).seconds();
  const double expanded = flow(cluster, schedule, true).seconds();
  const double bound = analytic(cluster, schedule).seconds();
  if (has_stage(schedule, Stage::Kind::steady)) {
    // Streams do not hide alphas behind the bytes of others (expanded is faster), nor do they see
    // transfers of several channels meet on a link in the wrong order (expanded is slower).
    EXPECT_GT(expanded, 0.8 * streams);
    EXPECT_LT(expanded, 1.5 * streams);
  } else if (has_stage(schedule, Stage::Kind::independent)) {
    // The alpha after the bytes or before them: no more than the largest alpha apart.
    EXPECT_NEAR(expanded, streams, kOverheads.network.seconds());
  } else {
    EXPECT_EQ(expanded, streams);  // the same transfers either way
  }
  EXPECT_GT(bound, 0.7 * streams);
  EXPECT_LT(bound, 1.4 * streams);
}

TEST(Agreement, EveryAlgorithmStaysWithinItsBounds) {
  int schedules = 0;
  for (const auto& [nodes, gpus] : {std::pair{1, 8}, {4, 2}}) {
    const auto cluster = testing::cluster(nodes, gpus, leaf_spine(2), kOverheads);
    const auto group = std::make_shared<const collectives::Group>(
        collectives::Group::first(cluster, cluster.rank_count()));
    for (const auto& algorithm : collectives::algorithms())
      for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                              Kind::broadcast, Kind::reduce, Kind::all_to_all, Kind::send_recv})
        for (const Bytes bytes : {1_MiB, 64_MiB}) {
          const collectives::Collective collective{.kind = kind, .bytes = bytes};
          if (!algorithm.supports(kind) ||
              !algorithm.why_not({cluster, group, collective, {}}).empty())
            continue;
          SCOPED_TRACE(std::string(algorithm.name) + " " + std::string(to_text(kind)) + " " +
                       core::to_text(bytes));
          expect_within_bounds(cluster, schedule(cluster, algorithm.name, collective));
          ++schedules;
        }
  }
  EXPECT_GT(schedules, 40);
}

}  // namespace
}  // namespace railyard::sim
