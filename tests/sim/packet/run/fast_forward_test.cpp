#include "sim/packet/run/fast_forward.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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
  std::printf("%.2f us, all packets %.2f us\n", duration(fast).microseconds(),
              duration(all).microseconds());
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
                      Case{"AllGather", "ring", Kind::all_gather, 48, 4, FabricKind::single_switch,
                           kRail, Congestion::dcqcn, 192 * 40'000},
                      Case{"ReduceScatterOnSpines", "ring", Kind::reduce_scatter, 48, 1,
                           FabricKind::leaf_spine, kEcmp, Congestion::none, 48 * 40'000},
                      Case{"EightGpusANode", "ring", Kind::all_reduce, 24, 8,
                           FabricKind::single_switch, kRail, Congestion::none, 192 * 40'000},
                      Case{"AllReduceOnSpines", "ring", Kind::all_reduce, 48, 1,
                           FabricKind::leaf_spine, kEcmp, Congestion::none, 48 * 40'000}),
    [](const auto& one) { return std::string(one.param.name); });

// Nodes of 8 GPUs need 23 iterations of each loop, which 47 are not four times as many as.
TEST(FastForward, WithoutSteadyStateEveryPacketIsSimulated) {
  const auto cluster = testing::cluster(6, 8, roce(fabric(FabricKind::single_switch)));
  const auto asked = testing::schedule(
      cluster, "ring", Collective{.kind = Kind::all_reduce, .bytes = Bytes(48 * 40'000)});
  const auto fast = run(cluster, asked, {}, true), all = run(cluster, asked, {}, false);
  EXPECT_TRUE(fast.notes.empty());
  EXPECT_EQ(duration(fast), duration(all));
  EXPECT_EQ(fast.packets->data_hops, all.packets->data_hops);
}

// Flows of 4 channels that a hash sends over the same uplinks: DCQCN cuts rates without settling.
TEST(FastForward, WhereRatesDoNotSettleEveryPacketIsSimulated) {
  const auto cluster = testing::cluster(24, 4, roce(leaf_spine(1)));
  const auto asked = testing::schedule(
      cluster, "ring", Collective{.kind = Kind::all_reduce, .bytes = Bytes(96 * 4 * 40'000)});
  PacketOptions options;
  options.routing.policy = kEcmp;
  const auto fast = run(cluster, asked, options, true), all = run(cluster, asked, options, false);
  EXPECT_GT(all.packets->marked, 0U);
  EXPECT_TRUE(fast.notes.empty());
  EXPECT_EQ(duration(fast), duration(all));
  EXPECT_EQ(fast.packets->marked, all.packets->marked);
}

// A message of another task crosses the port of node 5 while the ring runs, or its port fails.
TEST(FastForward, BesideOtherTrafficAndFailuresEveryPacketIsSimulated) {
  const auto cluster = testing::cluster(48, 1, roce(fabric(FabricKind::single_switch)));
  const auto asked = testing::schedule(
      cluster, "ring", Collective{.kind = Kind::all_reduce, .bytes = Bytes(48 * 40'000)});
  const auto message = testing::sends(cluster, Bytes(400'000), {{7, 5}});
  const std::vector<collectives::Task> tasks{{.schedule = &asked, .start = {}, .name = {}},
                                             {.schedule = &message, .start = 20_us, .name = {}}};
  PacketOptions options;
  const auto beside = PacketNetwork(cluster, options).run(tasks);
  EXPECT_TRUE(beside.notes.empty());
  EXPECT_GT(duration(beside), duration(run(cluster, asked, options, false)));
  LinkId port;
  for (std::uint32_t i = 0; i < cluster.link_count() && port.is_none(); ++i)
    if (cluster.link(LinkId(i)).kind == topology::LinkKind::port) port = LinkId(i);
  options.later_faults.push_back(
      {.at = 50_us, .faults = {.failed = {}, .degraded = {{port, 0.5}}}});
  const auto degraded = run(cluster, asked, options, true);
  EXPECT_TRUE(degraded.notes.empty());
  EXPECT_EQ(duration(degraded), duration(run(cluster, asked, options, false)));
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
  UncertaintyTrend tries;
  tries.add(10, 0.04);
  EXPECT_EQ(tries.enough(), 40U);
  EXPECT_EQ(tries.next(), 20U);
  tries.add(20, 0.02);
  EXPECT_EQ(tries.enough(), 40U);
  EXPECT_EQ(tries.next(), 40U);
  UncertaintyTrend close;
  close.add(10, 0.011);
  EXPECT_EQ(close.enough(), 20U);
}

// 8 % after 10 iterations and 4 % after 40: as 1 / sqrt(K), so 16 times as many are needed. No
// power is smaller: where the second try is no better, 20 (6.5 / 1)^2 = 845 are.
TEST(FastForward, ASecondTryTellsHowMuchMoreIterationsHelp) {
  UncertaintyTrend slow;
  slow.add(10, 0.08);
  slow.add(40, 0.04);
  EXPECT_NEAR(static_cast<double>(slow.enough()), 640, 1);
  UncertaintyTrend noise;
  noise.add(10, 0.065);
  noise.add(20, 0.065);
  EXPECT_NEAR(static_cast<double>(noise.enough()), 845, 1);
}

/// A ring of 101 places and 100 iterations, of which 10 are simulated: hop(i, r) is the time of a
/// transfer that need not wait, service(r) that by which a transfer follows the one before it.
class TimedRing {
 public:
  static constexpr int kPlaces = 101, kIterations = 100;

  template <class Hop, class Service>
  TimedRing(Hop hop, Service service) {
    std::vector<Time> before(kPlaces), now(kPlaces);
    for (int i = 0; i < kIterations; ++i) {
      for (int r = 0; r < kPlaces; ++r) {
        const Time ready = before[static_cast<std::size_t>((r + kPlaces - 1) % kPlaces)];
        now[static_cast<std::size_t>(r)] = ready + hop(i, r);
        if (i > 0)
          now[static_cast<std::size_t>(r)] = std::max(
              now[static_cast<std::size_t>(r)], before[static_cast<std::size_t>(r)] + service(r));
        if (i < static_cast<int>(FastForward::kFirst)) {
          transfers_.push_back({.posted = ready,
                                .end = now[static_cast<std::size_t>(r)],
                                .alone = hop(i, r),
                                .service = service(r)});
        }
      }
      before = now;
    }
    end_ = *std::max_element(before.begin(), before.end());
  }
  [[nodiscard]] Extrapolated extrapolated() const {
    const auto cluster = testing::cluster(kPlaces, 1, roce(fabric(FabricKind::single_switch)));
    const auto asked =
        testing::schedule(cluster, "ring", Collective{.kind = Kind::all_gather, .bytes = 1_MiB});
    return packet::extrapolated({.whole = &asked}, 0, transfers_);
  }
  /// Of the last iteration.
  [[nodiscard]] Time end() const { return end_; }

 private:
  std::vector<SimulatedTransfer> transfers_;
  Time end_;
};

Time nothing(int) { return {}; }

// Every hop takes 10 us, that of place 7 takes 30 us: 100 iterations pass it once at most.
TEST(FastForward, ALongHopCountsOnceForEachTurn) {
  const TimedRing ring([](int, int r) { return r == 7 ? 30_us : 10_us; }, nothing);
  EXPECT_EQ(ring.end(), 1'020_us);
  const Extrapolated result = ring.extrapolated();
  EXPECT_EQ(result.finish, ring.end());
  for (const Time part : result.parts) EXPECT_EQ(part, ring.end());
}

// Place 7 sends a transfer each 15 us, and its hop takes 10 us as the others: the last of its 100
// transfers ends at 10 + 99 * 15 us. In 10 iterations 90 places have not met it.
TEST(FastForward, ASlowPlaceSetsThePaceOfTheWholeRing) {
  const TimedRing ring([](int, int) { return 10_us; },
                       [](int r) { return r == 7 ? 15_us : Time(); });
  EXPECT_EQ(ring.end(), 1'495_us);
  EXPECT_EQ(ring.extrapolated().finish, ring.end());
  EXPECT_EQ(combined(std::vector{ring.extrapolated()}).uncertainty, Time());
}

// Iterations take 10 and 30 us in turn, so 100 of them take 2,000 us.
TEST(FastForward, APatternOfTwoIterationsIsRepeated) {
  const TimedRing ring([](int i, int) { return i % 2 == 0 ? 10_us : 30_us; }, nothing);
  EXPECT_EQ(ring.end(), 2'000_us);
  EXPECT_EQ(ring.extrapolated().finish, ring.end());
}

// The parts of both channels end at 100, 102, 104 and 106 us in the mean: deviations 3, 1, 1 and 3
// from 103, so s^2 = 20 / 3 and twice s / 2 is 2.582 us. All times end at 101.5 us in the mean, 1.5
// us before the parts: the error is 0.5 us to 1.5 us. The last channel ends at 103 us, so that both
// end at 102.25 us less 1 us.
TEST(FastForward, TheUncertaintyIsThatOfTheParts) {
  const std::vector<Extrapolated> channels{{100_us, {100_us, 101_us, 105_us, 105_us}},
                                           {103_us, {100_us, 103_us, 103_us, 107_us}}};
  const Extrapolation result = combined(channels);
  EXPECT_EQ(result.finish, 101'250_ns);
  EXPECT_NEAR(result.uncertainty.microseconds(), std::sqrt(20.0 / 3) + 0.5 + 0.75, 1e-3);
}

}  // namespace
}  // namespace railyard::sim::packet
