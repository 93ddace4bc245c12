#include "sim/packet/fast_forward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "sim/packet/packet_network.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using namespace sim::testing;
using collectives::Collective;
using collectives::Kind;
using topology::FabricKind;

collectives::Run run(const topology::Cluster& cluster, const collectives::Schedule& schedule,
                     PacketOptions options, bool fast_forward) {
  options.fast_forward = fast_forward;
  const collectives::Task task{.schedule = &schedule, .start = 5_us, .name = {}};
  return PacketNetwork(cluster, options).run({&task, 1});
}

double carried_by_all(const collectives::Run& run) {
  return std::accumulate(run.link_loads.begin(), run.link_loads.end(), 0.0,
                         [](double sum, const auto& load) { return sum + load.bytes; });
}

struct Case {
  const char* name;
  const char* algorithm;
  Kind kind;
  int nodes, gpus;
  FabricKind fabric;
  topology::RoutingPolicy routing;
  Congestion congestion;
  std::int64_t bytes;
};

class Steady : public ::testing::TestWithParam<Case> {};

// The time is that of every packet within the bound that the note states, and what is counted is
// scaled by the transfers.
TEST_P(Steady, IsExtrapolatedWithinOnePercent) {
  const Case& one = GetParam();
  auto spec = one.fabric == FabricKind::leaf_spine ? leaf_spine(8, 2) : fabric(one.fabric);
  const auto cluster = testing::cluster(one.nodes, one.gpus, roce(spec));
  const auto asked = testing::schedule(cluster, one.algorithm,
                                       Collective{.kind = one.kind, .bytes = Bytes(one.bytes)});
  PacketOptions options;
  options.routing.policy = one.routing;
  options.parameters.congestion = one.congestion;
  const auto fast = run(cluster, asked, options, true), all = run(cluster, asked, options, false);
  ASSERT_EQ(fast.notes.size(), 1U);
  EXPECT_THAT(fast.notes.front(), ::testing::HasSubstr("extrapolated the rest"));
  EXPECT_TRUE(all.notes.empty());
  EXPECT_NEAR(duration(fast).seconds() / duration(all).seconds(), 1, FastForward::kBound);
  EXPECT_EQ(fast.packets->transfers, all.packets->transfers);
  EXPECT_NEAR(carried_by_all(fast) / carried_by_all(all), 1, 1e-3);
  EXPECT_NEAR(
      static_cast<double>(fast.packets->data_hops) / static_cast<double>(all.packets->data_hops), 1,
      1e-3);
  EXPECT_LT(4 * fast.packets->data_hops, 5 * all.packets->data_hops);
}

constexpr auto kEcmp = topology::RoutingPolicy::ecmp;
constexpr auto kRail = topology::RoutingPolicy::rail;
INSTANTIATE_TEST_SUITE_P(
    Collectives, Steady,
    ::testing::Values(Case{"OneGpuANode", "ring", Kind::all_reduce, 48, 1,
                           FabricKind::single_switch, kRail, Congestion::none, 48 * 40'000},
                      Case{"LatencyBound", "ring", Kind::all_reduce, 48, 1,
                           FabricKind::single_switch, kRail, Congestion::none, 48 * 512},
                      Case{"AllGather", "ring", Kind::all_gather, 12, 4, FabricKind::single_switch,
                           kRail, Congestion::dcqcn, 48 * 40'000},
                      Case{"ReduceScatterOnSpines", "ring", Kind::reduce_scatter, 48, 1,
                           FabricKind::leaf_spine, kEcmp, Congestion::none, 48 * 40'000},
                      Case{"AllReduceOnSpines", "ring", Kind::all_reduce, 48, 1,
                           FabricKind::leaf_spine, kEcmp, Congestion::none, 48 * 40'000}),
    [](const auto& one) { return std::string(one.param.name); });

// The channels of nodes of 8 GPUs disturb each other: the growth of places differs by more than 1
// %. Then every packet is simulated.
TEST(FastForward, WithoutSteadyStateEveryPacketIsSimulated) {
  const auto cluster = testing::cluster(6, 8, roce(fabric(FabricKind::single_switch)));
  const auto asked = testing::schedule(
      cluster, "ring", Collective{.kind = Kind::all_reduce, .bytes = Bytes(48 * 40'000)});
  const auto fast = run(cluster, asked, {}, true), all = run(cluster, asked, {}, false);
  EXPECT_TRUE(fast.notes.empty());
  EXPECT_EQ(duration(fast), duration(all));
  EXPECT_EQ(fast.packets->data_hops, all.packets->data_hops);
}

// A shortened all-reduce is one over the pieces that it still has: every rank reduces with the nine
// before it and passes nine on.
TEST(FastForward, ALoopBeginsWithThePieceThatTheLoopBeforeEndsWith) {
  const auto cluster = testing::cluster(48, 1, roce(fabric(FabricKind::single_switch)));
  const auto asked =
      testing::schedule(cluster, "ring", Collective{.kind = Kind::all_reduce, .bytes = 1_MiB});
  const auto few = shortened({.whole = &asked, .iterations = 9});
  ASSERT_TRUE(few);
  for (const auto& channel : few->channels()) {
    ASSERT_EQ(channel.loops.size(), 2U);
    EXPECT_EQ(channel.loops[0].repeat, 9U);
    const auto& step = channel.loops[0].steps.front();
    for (std::uint32_t place = 0; place < 48; ++place) {
      const auto last = step.at(place, 8);
      const auto next = channel.loops[1].steps.front().at((place + 1) % 48, 0);
      EXPECT_EQ(last.destination, next.source);
      EXPECT_EQ(last.first_chunk, next.first_chunk);
    }
  }
}

TEST(FastForward, SchedulesWithoutSteadyStateAreNotShortened) {
  const auto cluster = testing::cluster(48, 1, roce(fabric(FabricKind::single_switch)));
  const auto all_to_all =
      testing::schedule(cluster, "direct", Collective{.kind = Kind::all_to_all, .bytes = 1_MiB});
  EXPECT_FALSE(shortened({.whole = &all_to_all, .iterations = 9}));
  const auto chain =
      testing::schedule(cluster, "ring", Collective{.kind = Kind::broadcast, .bytes = 64_MiB});
  EXPECT_FALSE(shortened({.whole = &chain, .iterations = 9}));
  const auto few = testing::cluster(12, 1, roce(fabric(FabricKind::single_switch)));
  const auto short_ring =
      testing::schedule(few, "ring", Collective{.kind = Kind::all_reduce, .bytes = 1_MiB});
  EXPECT_FALSE(shortened({.whole = &short_ring, .iterations = 9}));
}

// 4 % after 10 iterations: 40 would do if it fell as 1 / K. After 20 it is 2 %, so it does.
TEST(FastForward, IterationsGrowUntilTheUncertaintyFits) {
  Tries tries;
  tries.add(10, 0.04);
  EXPECT_EQ(tries.enough(), 40U);
  EXPECT_EQ(tries.next(), 20U);
  tries.add(20, 0.02);
  EXPECT_EQ(tries.enough(), 40U);
  EXPECT_EQ(tries.next(), 40U);
  Tries close;
  close.add(10, 0.011);
  EXPECT_EQ(close.enough(), 20U);
}

// 8 % after 10 iterations and 4 % after 40: as 1 / sqrt(K), so 16 times as many are needed. Where
// more iterations do not help, no number is enough.
TEST(FastForward, ASecondTryTellsWhetherMoreIterationsHelp) {
  Tries slow;
  slow.add(10, 0.08);
  slow.add(40, 0.04);
  EXPECT_NEAR(static_cast<double>(slow.enough()), 640, 1);
  Tries never;
  never.add(10, 0.065);
  never.add(20, 0.065);
  EXPECT_GT(never.enough(), 1'000'000'000U);
}

// 100 iterations of 101 places, 10 simulated. Iteration i ends at 50 i us, at place 7 at 50.5 i us.
// The growth over one iteration is 50 to 50.5 us, so that of the 90 is 90 * 50 to 90 * 50.5 us. It
// is taken from the last iteration but two on: 91 times, less the 50.5 us between that one and the
// last but one.
TEST(FastForward, TheUncertaintyIsTheSpreadOfTheGrowthOfPlaces) {
  const auto cluster = testing::cluster(101, 1, roce(fabric(FabricKind::single_switch)));
  const auto asked =
      testing::schedule(cluster, "ring", Collective{.kind = Kind::all_gather, .bytes = 1_MiB});
  std::vector<Time> ends;
  for (int i = 0; i < 10; ++i)
    for (int place = 0; place < 101; ++place) ends.push_back(i * (place == 7 ? 50'500_ns : 50_us));
  const auto result = extrapolated({.whole = &asked}, 0, ends);
  EXPECT_EQ(result.finish, 8 * 50'500_ns + Time::nanoseconds(91 * 50'250));
  EXPECT_EQ(result.uncertainty, Time::nanoseconds(91 * 250));
}

// Places 0 and 1 take 10 and 30 us in turn: over two iterations both grow by 40 us.
TEST(FastForward, APatternOfTwoIterationsIsFound) {
  const auto cluster = testing::cluster(101, 1, roce(fabric(FabricKind::single_switch)));
  const auto asked =
      testing::schedule(cluster, "ring", Collective{.kind = Kind::all_gather, .bytes = 1_MiB});
  std::vector<Time> ends;
  for (int i = 0; i < 10; ++i)
    for (int place = 0; place < 101; ++place)
      ends.push_back((i / 2) * 40_us + (i % 2) * (place % 2 == 0 ? 10_us : 30_us));
  const auto result = extrapolated({.whole = &asked}, 0, ends);
  EXPECT_EQ(result.uncertainty, Time());
  EXPECT_EQ(result.finish, 4 * 40_us + 30_us + 90 * 20_us);
}

}  // namespace
}  // namespace railyard::sim::packet
