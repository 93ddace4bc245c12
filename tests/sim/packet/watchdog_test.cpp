#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "sim/packet/option_check.hpp"
#include "sim/packet/parameter_check.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/packet/star.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

/// t: a full packet, L: a latency, frame: a pause frame of 84 bytes (20 ps/B).
constexpr std::int64_t t = Star::kTime, L = Star::kLatency, frame = 84 * 20;
constexpr std::int64_t kPayload = Star::kPayload;
constexpr Time kDetection = Time::microseconds(10), kRestoration = Time::microseconds(20);
const std::vector<Bandwidth> kHosts(3, 400_Gbps);

Parameters watched(WatchdogAction action) {
  auto parameters = Star::store_and_forward();
  parameters.nic.retransmit_timeout = 100_us;
  parameters.switches.watchdog =
      WatchdogParameters{.detection = kDetection, .restoration = kRestoration, .action = action};
  return parameters;
}

/// As above, with 100,000 bytes for the shared buffer beside the headroom of 112,618 bytes
/// (rate * 2 us = 100,000; 4178 + 84; 2 * 4178) and 4,096 reserved bytes of each of three inputs:
/// an input is paused at 11,111 bytes.
Parameters tight(WatchdogAction action) {
  auto parameters = watched(action);
  parameters.switches.buffer = Bytes(3 * (112'618 + 4'096) + 100'000);
  return parameters;
}

struct Outcome {
  std::int64_t stormed = 0, victim = 0;  ///< ps
  Counters counters;
};

/// Host 1 pauses the switch from 0 to `until`. Host 0 sends it 100 packets, is paused for them, and
/// at 5 us has a packet for host 2 too.
Outcome with_storm(const Parameters& parameters, Time until) {
  Star star(kHosts, parameters);
  if (until > Time()) star.engine().add_storm(Star::down(1), Time(), until);
  star.send(star.connect(0, 1), Bytes(100 * kPayload));
  star.send(star.connect(0, 2), Bytes(kPayload), 5_us);
  star.run();
  return {star.done(0), star.done(1), star.engine().counters()};
}

// The queue of host 1 is emptied after 10 us, so the switch lets host 0 go on. Its next packet is
// for host 1 and is lost, the one after for host 2.
TEST(Watchdog, AVictimWaitsForTheDetectionTime) {
  const Outcome stormed = with_storm(tight(WatchdogAction::drop), 400_us);
  const std::int64_t resumed = kDetection.picoseconds() + frame + L;
  EXPECT_EQ(stormed.victim, resumed + 2 * t + L + t + L);
  EXPECT_GT(stormed.stormed, 420'000'000);
  EXPECT_EQ(stormed.counters.storms, 1U);
  EXPECT_GT(stormed.counters.discarded, 0U);
  EXPECT_EQ(stormed.counters.lost, stormed.counters.discarded);
}

TEST(Watchdog, WithoutItAVictimWaitsForTheEndOfTheStorm) {
  auto parameters = tight(WatchdogAction::drop);
  parameters.switches.watchdog.reset();
  const Outcome stormed = with_storm(parameters, 400_us);
  EXPECT_GT(stormed.victim, 400'000'000);
  EXPECT_EQ(stormed.counters.lost, 0U);
  EXPECT_EQ(stormed.counters.storms, 0U);
}

// At most 30 packets wait (11,111 + 4,096 + 112,618 bytes): 2.5 us on the wire, then the pause
// ends.
TEST(Watchdog, ForwardLosesNothing) {
  const Outcome stormed = with_storm(tight(WatchdogAction::forward), 400_us);
  EXPECT_EQ(stormed.counters.storms, 1U);
  EXPECT_EQ(stormed.counters.lost, 0U);
  EXPECT_EQ(stormed.counters.timeouts, 0U);
  EXPECT_LE(stormed.victim, kDetection.picoseconds() + 30 * t + frame + L + 3 * t + 2 * L);
  EXPECT_LT(stormed.stormed, 40'000'000);
}

TEST(Watchdog, AHealthyNetworkIsAsWithoutIt) {
  auto parameters = tight(WatchdogAction::drop);
  const Outcome watched = with_storm(parameters, Time());
  parameters.switches.watchdog.reset();
  const Outcome plain = with_storm(parameters, Time());
  EXPECT_EQ(watched.stormed, plain.stormed);
  EXPECT_EQ(watched.victim, plain.victim);
  EXPECT_EQ(watched.counters.storms, 0U);
}

// The pauses of a long storm may also be those of a healthy port: 10 us and no more.
TEST(Watchdog, AShorterPauseIsNoStorm) {
  for (const std::int64_t longer : {0, 1}) {
    const Outcome stormed =
        with_storm(tight(WatchdogAction::drop), kDetection + Time::picoseconds(longer));
    EXPECT_EQ(stormed.counters.storms, static_cast<std::uint64_t>(longer));
  }
}

// A queue without packets is in a storm too. Its storm ends at 50 us: what reaches the switch
// before 70 us is lost, what comes after passes.
TEST(Watchdog, PausesCountAgainAfterTheRestorationTime) {
  Star star(kHosts, watched(WatchdogAction::drop));
  star.engine().add_storm(Star::down(1), Time(), 50_us);
  const Time restored = 50_us + kRestoration;
  const auto posted = [&](std::int64_t after) {
    return restored + Time::picoseconds(after - t - L);
  };
  star.send(star.connect(0, 1), Bytes(kPayload), posted(-1));
  star.send(star.connect(2, 1), Bytes(kPayload), posted(1));
  star.run();
  EXPECT_EQ(star.done(1), restored.picoseconds() + 1 + t + L);
  EXPECT_EQ(star.done(0), posted(-1).picoseconds() + 100'000'000 + 2 * (t + L));
  EXPECT_EQ(star.engine().counters().storms, 1U);
  EXPECT_EQ(star.engine().counters().discarded, 1U);
}

// A second storm before the restoration time has passed extends the first one.
TEST(Watchdog, ANewPauseExtendsTheStorm) {
  Star star(kHosts, watched(WatchdogAction::drop));
  star.engine().add_storm(Star::down(1), Time(), 50_us);
  star.engine().add_storm(Star::down(1), 60_us, 62_us);
  const Time restored = 62_us + kRestoration;
  star.send(star.connect(0, 1), Bytes(kPayload), restored + Time::picoseconds(-1 - t - L));
  star.send(star.connect(2, 1), Bytes(kPayload), restored + Time::picoseconds(1 - t - L));
  star.run();
  EXPECT_EQ(star.done(1), restored.picoseconds() + 1 + t + L);
  EXPECT_EQ(star.engine().counters().storms, 1U);
  EXPECT_EQ(star.engine().counters().discarded, 1U);
}

TEST(Watchdog, ItIsRefusedWherePausesAreNotUsed) {
  auto parameters = watched(WatchdogAction::drop);
  EXPECT_NO_THROW(check(parameters));
  parameters.switches.lossless = false;
  EXPECT_THROW(check(parameters), InputError);
  parameters.switches.classes = {{.lossless = true}, {}};
  EXPECT_NO_THROW(check(parameters));
}

class Storms : public ::testing::Test {
 protected:
  topology::TimedFault of(const std::string& text) {
    return topology::parse_failure(cluster_, text);
  }
  topology::Cluster cluster_ = sim::testing::cluster(
      4, 1, sim::testing::roce(sim::testing::fabric(topology::FabricKind::single_switch)));
};

TEST_F(Storms, ANicStormsTheLinkThatLeadsToIt) {
  const auto storms = pause_storms(cluster_, of("node1/nic0@1ms..2ms"));
  ASSERT_EQ(storms.size(), 1U);
  const topology::Link& link = cluster_.link(storms[0].link);
  EXPECT_TRUE(topology::is_fabric_switch(cluster_.device(link.from).kind));
  EXPECT_EQ(cluster_.name(link.to), "node1/nic0");
  EXPECT_EQ(storms[0].from, 1_ms);
  EXPECT_EQ(storms[0].until, 2_ms);
}

TEST_F(Storms, WithoutEndOrNicTheyAreRefused) {
  EXPECT_THROW((void)pause_storms(cluster_, of("node1/nic0@1ms")), InputError);
  EXPECT_THROW((void)pause_storms(cluster_, of("node1/nic0")), InputError);
}

TEST_F(Storms, OverlappingOnesAndLossySwitchesAreRefused) {
  PacketOptions options;
  options.storms = pause_storms(cluster_, of("node1/nic0@1ms..2ms"));
  EXPECT_NO_THROW(check(options));
  options.parameters.switches.lossless = false;
  EXPECT_THROW(check(options), InputError);
  options.parameters.switches.lossless = true;
  options.storms.push_back(pause_storms(cluster_, of("node1/nic0@2ms..3ms")).front());
  EXPECT_THROW(check(options), InputError);
}

}  // namespace
}  // namespace railyard::sim::packet
