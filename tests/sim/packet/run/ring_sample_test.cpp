#include "sim/packet/run/ring_sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "sim/packet/packet_network.hpp"
#include "sim/packet/run/fast_forward.hpp"
#include "sim/packet/run/packet_run.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using namespace sim::testing;
using collectives::Collective;
using collectives::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using topology::FabricKind;

/// Rail-optimised leaves of `unit` nodes below spines.
topology::Cluster rails(int nodes, int gpus, int unit) {
  auto spec = roce(fabric(FabricKind::rail_clos));
  spec.nodes_per_unit = unit;
  spec.units_per_pod = 16;
  return testing::cluster(nodes, gpus, spec);
}

collectives::Schedule all_reduce(const topology::Cluster& cluster, std::int64_t bytes_of_piece) {
  return testing::schedule(
      cluster, "ring",
      Collective{.kind = Kind::all_reduce, .bytes = Bytes(cluster.rank_count() * bytes_of_piece)});
}

/// By link, the bytes it carried.
std::map<std::uint32_t, double> carried(const collectives::Run& run) {
  std::map<std::uint32_t, double> bytes;
  for (const collectives::LinkLoad& load : run.link_loads) bytes[load.link.value()] = load.bytes;
  return bytes;
}

/// The first K iterations of a ring, by all nodes or by a sample, and what follows from them.
struct Tried {
  collectives::Run run;
  Time uncertainty;
  bool is_representative = true;
};
Tried first_iterations_of(const topology::Cluster& cluster, const collectives::Schedule& whole,
                          const PacketOptions& options, const RingSample* sample) {
  FastForward fast{.whole = &whole, .period = period_of(cluster, whole), .sample = sample};
  fast.iterations = first_iterations(fast);
  const auto schedule = shortened(fast);
  const collectives::Task task{.schedule = &*schedule, .start = {}, .name = {}};
  PacketRun run(cluster, options, {&task, 1});
  run.stand_for(fast);
  Tried result{.run = run.run(), .uncertainty = *run.uncertainty()};
  if (sample != nullptr) result.is_representative = run.is_representative();
  return result;
}

std::optional<RingSample> sample_for(const topology::Cluster& cluster,
                                     const collectives::Schedule& whole,
                                     const PacketOptions& options) {
  FastForward fast{.whole = &whole, .period = period_of(cluster, whole)};
  fast.iterations = first_iterations(fast);
  const auto nodes = RingNodes::of(cluster, options, whole);
  return nodes ? sample_of(cluster, options, *nodes, fast) : std::nullopt;
}

// Nodes 7 and 15 send over a spine, and their acknowledgements meet data of each other.
TEST(RingNodes, NodesOfAGroupOfLeavesHaveOneForm) {
  const auto cluster = rails(16, 2, 8);
  const auto nodes = RingNodes::of(cluster, {}, all_reduce(cluster, 40'000));
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->size(), 16U);
  EXPECT_EQ(nodes->per_node(), 2U);
  const auto forms = nodes->forms(1);
  for (const std::size_t node : {1U, 6U, 8U, 14U}) EXPECT_EQ(forms[node], forms[0]) << node;
  EXPECT_NE(forms[7], forms[0]);
  EXPECT_EQ(forms[7], forms[15]);
  // Two channels: a transfer inside the node over one link, and one to the next node over two or
  // four.
  EXPECT_EQ(nodes->hops(), 2 * (16U + 14 * 2 + 2 * 4));
}

// Node 3 sends at half the rate. Nobody else uses the link, so only its own form differs.
TEST(RingNodes, ADegradedLinkChangesTheFormOfItsUser) {
  const auto cluster = rails(16, 1, 16);
  const auto rings = all_reduce(cluster, 40'000);
  const auto nodes = RingNodes::of(cluster, {}, rings);
  PacketOptions options;
  for (const LinkId link : nodes->links(3))
    if (cluster.link(link).kind == topology::LinkKind::port) {
      options.faults.degraded.push_back({link, 0.5});
      break;
    }
  const auto forms = nodes->forms(1), degraded = RingNodes::of(cluster, options, rings)->forms(1);
  for (std::size_t node = 0; node < 16; ++node)
    EXPECT_EQ(forms[node] == degraded[node], node != 3) << node;
}

TEST(RingNodes, NetworksThatTreatNodesDifferentlyHaveNone) {
  const auto cluster = rails(16, 2, 8);
  const auto rings = all_reduce(cluster, 40'000);
  for (const auto policy : {topology::RoutingPolicy::balanced, topology::RoutingPolicy::adaptive,
                            topology::RoutingPolicy::spray}) {
    PacketOptions options;
    options.routing.policy = policy;
    EXPECT_FALSE(RingNodes::of(cluster, options, rings));
  }
  PacketOptions clocks;
  clocks.parameters.clock_tolerance = 1e-4;
  EXPECT_FALSE(RingNodes::of(cluster, clocks, rings));
  PacketOptions ingress;
  ingress.parameters.nic.ingress_rate = 100_Gbps;
  EXPECT_FALSE(RingNodes::of(cluster, ingress, rings));
  // 32 pieces of 46 or 47 bytes.
  const auto uneven =
      testing::schedule(cluster, "ring", Collective{.kind = Kind::all_reduce, .bytes = 1500_B});
  EXPECT_FALSE(RingNodes::of(cluster, {}, uneven));
}

// Forms 0 and, at nodes 63 and 127, 1. Of each run of 63 nodes, 6 + 2 at its begin and 2 at its end
// are kept: nodes 0 to 7, 61 to 71, 125 to 127.
TEST(RingSample, TheMiddleOfARunIsLeftOut) {
  std::vector<std::uint64_t> forms(128);
  forms[63] = forms[127] = 1;
  const auto sample = choose_nodes(forms, {.per_node = 8, .reach = 6, .turn = 1});
  ASSERT_TRUE(sample);
  EXPECT_THAT(sample->nodes, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 61, 62, 63, 64, 65, 66, 67, 68, 69,
                                         70, 71, 125, 126, 127));
  EXPECT_EQ(sample->stands[6], 6U);
  for (std::size_t node = 7; node < 61; ++node) EXPECT_EQ(sample->stands[node], 7U);
  EXPECT_EQ(sample->stands[61], 8U);
  EXPECT_EQ(sample->stands[100], 18U);
  EXPECT_THAT(sample->twins, ElementsAre(std::pair(6U, 7U), std::pair(17U, 18U)));
  EXPECT_EQ(sample->places(), 176U);
  EXPECT_EQ(sample->place(30 * 8 + 5), 7U * 8 + 5);
}

// Forms 0 and 1 in turn. Of 32 nodes 3 + 4 at the begin and 2 at the end are kept, and one more
// because only pairs are left out. Node 5 stands for the other odd ones, node 6 for even ones.
TEST(RingSample, RunsOfTwoFormsAreCutByPairs) {
  std::vector<std::uint64_t> forms(32);
  for (std::size_t node = 1; node < 32; node += 2) forms[node] = 1;
  EXPECT_FALSE(choose_nodes(forms, {.reach = 3, .turn = 1}));
  const auto sample = choose_nodes(forms, {.reach = 3, .turn = 2});
  ASSERT_TRUE(sample);
  EXPECT_THAT(sample->nodes, ElementsAre(0, 1, 2, 3, 4, 5, 6, 29, 30, 31));
  for (std::size_t node = 7; node < 29; ++node)
    EXPECT_EQ(sample->stands[node], node % 2 == 1 ? 5U : 6U) << node;
  EXPECT_THAT(sample->twins, ElementsAre(std::pair(3U, 5U), std::pair(4U, 6U)));
}

TEST(RingSample, ShortRunsAreNotCut) {
  EXPECT_FALSE(choose_nodes(std::vector<std::uint64_t>(20), {.reach = 7, .turn = 1}));
  EXPECT_TRUE(choose_nodes(std::vector<std::uint64_t>(22), {.reach = 7, .turn = 1}));
}

// The sample gives the time, the uncertainty, the bytes of each link and the statistics of all
// nodes.
TEST(RingSample, HasTheResultOfAllNodes) {
  const auto cluster = rails(128, 2, 64);
  const auto whole = all_reduce(cluster, 40'000);
  const auto sample = sample_for(cluster, whole, {});
  ASSERT_TRUE(sample);
  EXPECT_LT(sample->nodes.size(), 40U);
  const Tried some = first_iterations_of(cluster, whole, {}, &*sample);
  const Tried all = first_iterations_of(cluster, whole, {}, nullptr);
  EXPECT_TRUE(some.is_representative);
  EXPECT_EQ(duration(some.run), duration(all.run));
  EXPECT_EQ(some.uncertainty, all.uncertainty);
  EXPECT_EQ(carried(some.run), carried(all.run));
  EXPECT_EQ(some.run.packets->data_hops, all.run.packets->data_hops);
  EXPECT_EQ(some.run.packets->transfers, all.run.packets->transfers);
  EXPECT_EQ(some.run.packets->fct_p50, all.run.packets->fct_p50);
  EXPECT_EQ(some.run.packets->fct_p99, all.run.packets->fct_p99);
  EXPECT_EQ(some.run.packets->slowdown_p50, all.run.packets->slowdown_p50);
  EXPECT_EQ(some.run.packets->deepest_queue, all.run.packets->deepest_queue);
  EXPECT_EQ(some.run.tasks[0].bound_by.text, all.run.tasks[0].bound_by.text);
}

// Node 0 gets its data over a spine, so that its transfers end later than those of node 6.
TEST(RingSample, WhatTwinsDifferByIsUncertain) {
  const auto cluster = rails(128, 2, 64);
  const auto whole = all_reduce(cluster, 40'000);
  auto sample = sample_for(cluster, whole, {});
  ASSERT_TRUE(sample);
  const Time of_equal_nodes = first_iterations_of(cluster, whole, {}, &*sample).uncertainty;
  sample->twins = {{0, 6}};
  EXPECT_GT(first_iterations_of(cluster, whole, {}, &*sample).uncertainty, of_equal_nodes);
}

TEST(RingSample, HasTheTimeOfEveryPacket) {
  const auto cluster = rails(64, 2, 64);
  const auto whole = all_reduce(cluster, 40'000);
  const collectives::Task task{.schedule = &whole, .start = 5_us, .name = {}};
  PacketOptions options;
  const auto fast = PacketNetwork(cluster, options).run({&task, 1});
  options.fast_forward = false;
  const auto all = PacketNetwork(cluster, options).run({&task, 1});
  ASSERT_EQ(fast.notes.size(), 1U);
  // 20 iterations depend on 10 nodes of 2 GPUs, so 10 + 2 + 2 nodes are kept; by 2 channels.
  EXPECT_THAT(fast.notes.front(), HasSubstr("simulated 1120 of 65024 transfers"));
  EXPECT_NEAR(duration(fast).seconds() / duration(all).seconds(), 1, 0.002);
  EXPECT_EQ(fast.packets->data_hops, all.packets->data_hops);
}

/// A port that sends at a share of its rate.
PacketOptions degraded(const topology::Cluster& cluster, const collectives::Schedule& rings,
                       std::uint32_t node, bool is_switch, double rate) {
  PacketOptions options;
  const auto nodes = RingNodes::of(cluster, options, rings);
  for (const LinkId link : nodes->links(node)) {
    const auto& port = cluster.link(link);
    if (port.kind == topology::LinkKind::port &&
        topology::is_fabric_switch(cluster.device(port.from).kind) == is_switch) {
      options.faults.degraded.push_back({link, rate});
      break;
    }
  }
  return options;
}

// A NIC at half of its rate sets the pace of the ring. Its node and those after it are kept.
TEST(RingSample, ASlowNodeIsAmongThoseSimulated) {
  const auto cluster = rails(128, 1, 128);
  const auto whole = all_reduce(cluster, 40'000);
  const PacketOptions options = degraded(cluster, whole, 50, false, 0.5);
  const auto sample = sample_for(cluster, whole, options);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->nodes[sample->stands[50]], 50U);
  const Tried some = first_iterations_of(cluster, whole, options, &*sample);
  EXPECT_TRUE(some.is_representative);
  const Tried all = first_iterations_of(cluster, whole, options, nullptr);
  EXPECT_EQ(duration(some.run), duration(all.run));
  EXPECT_GT(duration(all.run), duration(first_iterations_of(cluster, whole, {}, nullptr).run));
}

// A switch that sends to a node at a tenth of the rate pauses the node before it. A pause depends
// on what the switch holds of all nodes, so that the run is repeated with all of them.
TEST(RingSample, DoesNotCountWhereSwitchesPause) {
  const auto cluster = rails(128, 1, 128);
  const auto whole = all_reduce(cluster, 4'000'000);
  PacketOptions options = degraded(cluster, whole, 50, true, 0.1);
  options.parameters.congestion = Congestion::none;
  const auto sample = sample_for(cluster, whole, options);
  ASSERT_TRUE(sample);
  EXPECT_FALSE(first_iterations_of(cluster, whole, options, &*sample).is_representative);
}

TEST(RingSample, DoesNotCountWherePacketsAreMarked) {
  const auto cluster = rails(128, 1, 128);
  const auto whole = all_reduce(cluster, 400'000);
  PacketOptions options = degraded(cluster, whole, 50, true, 0.1);
  options.parameters.switches.ecn.k_min = 1000_B;
  const auto sample = sample_for(cluster, whole, options);
  ASSERT_TRUE(sample);
  EXPECT_FALSE(first_iterations_of(cluster, whole, options, &*sample).is_representative);
}

// An alpha of 0.001 of 32 MiB less headroom is a threshold above the queues of a few packets. But
// what all 128 ports together may hold is more than that.
TEST(RingSample, DoesNotCountWhereAllNodesTogetherCouldFillTheBuffer) {
  const auto cluster = rails(128, 1, 128);
  const auto whole = all_reduce(cluster, 40'000);
  PacketOptions options;
  const auto sample = sample_for(cluster, whole, options);
  ASSERT_TRUE(sample);
  EXPECT_TRUE(first_iterations_of(cluster, whole, options, &*sample).is_representative);
  options.parameters.switches.alpha = 0.001;
  const Tried tight = first_iterations_of(cluster, whole, options, &*sample);
  EXPECT_EQ(tight.run.packets->pauses, 0U);
  EXPECT_FALSE(tight.is_representative);
  const collectives::Task task{.schedule = &whole, .start = {}, .name = {}};
  const auto by_all_nodes = PacketNetwork(cluster, options).run({&task, 1});
  ASSERT_EQ(by_all_nodes.notes.size(), 1U);
  EXPECT_THAT(by_all_nodes.notes.front(), HasSubstr("simulated 2560 of 32512 transfers"));
}

// The flows of 4 channels leave each leaf by spines that a hash chooses.
TEST(RingSample, ThereIsNoneWhereFlowsCollideByHash) {
  const auto cluster = testing::cluster(64, 4, roce(leaf_spine(2)));
  PacketOptions options;
  options.routing.policy = topology::RoutingPolicy::ecmp;
  EXPECT_FALSE(sample_for(cluster, all_reduce(cluster, 40'000), options));
}

}  // namespace
}  // namespace railyard::sim::packet
