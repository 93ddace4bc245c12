#include "sim/flow/expanded_bound.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::Schedule;
using ::testing::HasSubstr;
using topology::Cluster;

Schedule broadcast(const Cluster& cluster, Bytes bytes, Bytes chunk) {
  return schedule(cluster, "ring", {.kind = Kind::broadcast, .bytes = bytes},
                  {.channels = 1, .chunk = chunk});
}

collectives::Run run(const Cluster& cluster, const Schedule& schedule, bool expand) {
  const collectives::Task task{.schedule = &schedule, .start = {}, .name = {}};
  return FlowNetwork(cluster, {.expand = expand}).run({&task, 1});
}

TEST(ExpandedBound, ChunksOverHopsOfAChain) {
  // 8 GPUs in a chain are 7 hops; 16 MiB in chunks of 8 MiB are 2: (2 + 7 - 1) / 2.
  const auto cluster = single_switch(1, 8);
  const auto bound = expanded_bound(broadcast(cluster, 16_MiB, 8_MiB));
  EXPECT_EQ(bound.chunks, 2u);
  EXPECT_EQ(bound.hops, 7u);
  EXPECT_DOUBLE_EQ(bound.factor(), 4);
}

TEST(ExpandedBound, RingsForwardAllTheTime) {
  const auto cluster = single_switch(1, 8);
  EXPECT_DOUBLE_EQ(expanded_bound(schedule(cluster, "ring", {.bytes = 16_MiB})).factor(), 1);
}

TEST(ExpandedBound, ALoneChainReachesIt) {
  // One channel, no overheads: 8 transfers of 8 MiB one after another, against 2 as a stream with
  // the 6 that fill it: both 8 chunk times, so that a lone chain does not differ.
  const auto cluster = single_switch(1, 8);
  const auto chain = broadcast(cluster, 16_MiB, 8_MiB);
  EXPECT_NEAR(duration(run(cluster, chain, true)).seconds(),
              duration(run(cluster, chain, false)).seconds(), 1e-11);
  EXPECT_THAT(run(cluster, chain, true).caveats.back(),
              HasSubstr("--expand: 1.00 times the time without --expand"));
}

TEST(ExpandedBound, ManyChannelsStayBelowItAndTheNoteHasTheReason) {
  // 16 channels share each link, which the filling of a single stream does not count: 7 hops of two
  // chunks take almost 4 times as long.
  const auto cluster = single_switch(1, 8);
  const auto chains = schedule(cluster, "ring", {.kind = Kind::broadcast, .bytes = 16_MiB},
                               {.channels = 16, .chunk = 512_KiB});
  const auto expanded = run(cluster, chains, true);
  const double ratio =
      duration(expanded).seconds() / duration(run(cluster, chains, false)).seconds();
  EXPECT_GT(ratio, 2);
  EXPECT_LE(ratio, 4);
  EXPECT_THAT(expanded.caveats.back(), HasSubstr("2 chunks over 7 hops take up to 4.00 times"));
}

/// Every algorithm on shipped clusters, where nodes and overheads are those of real machines.
TEST(ExpandedBound, HoldsOnShippedClusters) {
  int schedules = 0;
  for (const auto& [name, nodes] : {std::pair{"dgx1_v100_100g", 4},
                                    {"dgx_a100_hdr200", 1},
                                    {"dgx_h100_ndr400", 2},
                                    {"pcie8_gen4", 2},
                                    {"gb200_nvl72", 1}}) {
    const auto cluster = topology::build_cluster(topology::read_cluster(name, nodes));
    const auto group = std::make_shared<const collectives::Group>(
        collectives::Group::first(cluster, std::min<std::size_t>(cluster.rank_count(), 16)));
    for (const auto& algorithm : collectives::algorithms())
      for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                              Kind::broadcast, Kind::reduce})
        for (const Bytes bytes : {1_MiB, 16_MiB}) {
          const collectives::Collective collective{.kind = kind, .bytes = bytes};
          const collectives::Request request{cluster, group, collective, {}};
          if (!algorithm.supports(kind) || !algorithm.why_not(request).empty()) continue;
          const Schedule schedule = collectives::build_schedule(algorithm.name, request);
          if (!has_streams(schedule)) continue;
          const double ratio = duration(run(cluster, schedule, true)).seconds() /
                               duration(run(cluster, schedule, false)).seconds();
          SCOPED_TRACE(std::string(name) + " " + std::string(algorithm.name) + " " +
                       std::string(to_text(kind)) + " " + core::to_text(bytes));
          EXPECT_LE(ratio, 1.02 * expanded_bound(schedule).factor());
          // Overheads that overlap with bytes are at most all of them.
          EXPECT_GT(ratio, 0.5);
          ++schedules;
        }
  }
  EXPECT_GT(schedules, 50);
}

}  // namespace
}  // namespace railyard::sim
