#include "sim/packet/engine/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/diagnostic.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

constexpr std::int64_t kTime = Star::kTime, kLatency = Star::kLatency, kPayload = Star::kPayload;

// Two links of 400 Gb/s (20 ps/B): 4178 bytes take 83,560 ps on each, 1 us of latency each.
TEST(PacketEngine, OnePacketIsStoredAndForwarded) {
  Star star({400_Gbps, 400_Gbps});
  star.send(star.connect(0, 1), Bytes(kPayload));
  star.run();
  EXPECT_EQ(star.done(0), 2 * (kTime + kLatency));
}

// The switch passes the packet on when 64 bytes (1,280 ps) have arrived.
TEST(PacketEngine, OnePacketIsCutThrough) {
  auto parameters = Star::store_and_forward();
  parameters.switches.cut_through = true;
  Star star({400_Gbps, 400_Gbps}, parameters);
  star.send(star.connect(0, 1), Bytes(kPayload));
  star.run();
  EXPECT_EQ(star.done(0), 1'280 + kLatency + kTime + kLatency);
}

// From 100 Gb/s (80 ps/B, 334,240 ps a packet) to 400 Gb/s: the last byte leaves the switch when it
// has arrived, so that the output starts 83,560 ps before.
TEST(PacketEngine, CutThroughToAFasterLinkDoesNotRunOutOfBytes) {
  auto parameters = Star::store_and_forward();
  parameters.switches.cut_through = true;
  Star star({100_Gbps, 400_Gbps}, parameters);
  star.send(star.connect(0, 1), Bytes(kPayload));
  star.run();
  EXPECT_EQ(star.done(0), 334'240 + kLatency + kLatency);
}

// A train from 400 to 100 Gb/s: the first packet reaches the switch after kTime + kLatency, then
// the output is busy for 10 packets. The last packet has 96 bytes: (96 + 82) * 80 = 14,240 ps.
TEST(PacketEngine, ATrainLeavesABottleneckAtItsRate) {
  Star star({400_Gbps, 100_Gbps});
  star.send(star.connect(0, 1), Bytes(10 * kPayload + 96));
  star.run();
  EXPECT_EQ(star.done(0), kTime + kLatency + 10 * 334'240 + 14'240 + kLatency);
}

// Packets of both arrive in turn: the output sends 2 * 100 packets, those of each in every other
// place.
TEST(PacketEngine, TwoFlowsShareALink) {
  Star star({400_Gbps, 400_Gbps, 400_Gbps});
  star.send(star.connect(0, 2), Bytes(100 * kPayload));
  star.send(star.connect(1, 2), Bytes(100 * kPayload));
  star.run();
  const std::int64_t first = kTime + kLatency;
  EXPECT_EQ(star.done(0), first + 199 * kTime + kLatency);
  EXPECT_EQ(star.done(1), first + 200 * kTime + kLatency);
}

// Two queue pairs of a NIC take turns; a third joins when half of the others' packets are gone.
TEST(PacketEngine, QueuePairsOfANicTakeTurns) {
  Star star({400_Gbps, 400_Gbps, 400_Gbps, 400_Gbps});
  star.send(star.connect(0, 1), Bytes(40 * kPayload));
  star.send(star.connect(0, 2), Bytes(40 * kPayload));
  star.send(star.connect(0, 3), Bytes(10 * kPayload), Time::picoseconds(40 * kTime));
  star.run();
  // 40 packets of two, then 30 of three in turn (10 each), then 20 of two.
  const std::int64_t rest = kLatency + kTime + kLatency;
  EXPECT_LE(std::abs(star.done(2) - (70 * kTime + rest)), 2 * kTime);
  EXPECT_EQ(std::max(star.done(0), star.done(1)), 90 * kTime + rest);
}

// n senders of m packets each: while they send, the output takes one packet of n. At the arrival of
// the last packets it has started m of n * m.
TEST(PacketEngine, AnIncastFillsTheQueueByAllButOneSender) {
  constexpr std::uint32_t kSenders = 8;
  constexpr std::int64_t kPackets = 64;
  Star star(std::vector<Bandwidth>(kSenders + 1, 400_Gbps));
  for (std::uint32_t i = 0; i < kSenders; ++i)
    star.send(star.connect(i, kSenders), Bytes(kPackets * kPayload));
  star.run();
  EXPECT_EQ(star.engine().links()[Star::down(kSenders)].most_queued,
            (kSenders - 1) * kPackets * Star::kPacket);
  EXPECT_EQ(star.engine().counters().pauses, 0U);
  std::int64_t last = 0;
  for (std::uint32_t i = 0; i < kSenders; ++i) last = std::max(last, star.done(i));
  EXPECT_EQ(last, kTime + kLatency + kSenders * kPackets * kTime + kLatency);
}

// Pauses do not cost time where the queue never runs empty: the last byte of 2 * 1000 packets comes
// when it would with an endless buffer.
TEST(PacketEngine, PausesKeepTheBottleneckBusyAndLoseNothing) {
  auto parameters = Star::store_and_forward();
  parameters.switches.buffer = Bytes(1'200'000);
  Star star({400_Gbps, 400_Gbps, 400_Gbps}, parameters);
  star.send(star.connect(0, 2), Bytes(1000 * kPayload));
  star.send(star.connect(1, 2), Bytes(1000 * kPayload));
  star.run();
  EXPECT_EQ(std::max(star.done(0), star.done(1)), kTime + kLatency + 2000 * kTime + kLatency);
  const Counters& counted = star.engine().counters();
  EXPECT_GT(counted.pauses, 2U);
  EXPECT_GT(counted.paused, Time());
  EXPECT_EQ(counted.lost, 0U);
  EXPECT_EQ(counted.data_sent, 2000U);
}

// An output of 1 Gb/s starts no second packet meanwhile. The decision to pause falls at the arrival
// (t) of a packet that started at t - kTime - kLatency. The frame (84 bytes, 1,680 ps) takes effect
// at t + 1,680 + kLatency. Until then 2,085,240 / 83,560 = 24 more packets start; with the one that
// crossed the threshold, 25 need headroom.
class Headroom : public ::testing::TestWithParam<int> {};

TEST_P(Headroom, TwentyFivePacketsAreEnoughAndOneLessLoses) {
  auto parameters = Star::store_and_forward();
  parameters.switches.headroom = Bytes(GetParam() * Star::kPacket);
  parameters.switches.buffer = Bytes(2'000'000);
  Star star({400_Gbps, 1_Gbps}, parameters);
  star.send(star.connect(0, 1), Bytes(400 * kPayload));
  star.run();
  EXPECT_GT(star.engine().counters().pauses, 0U);
  if (GetParam() == 25)
    EXPECT_EQ(star.engine().counters().lost, 0U);
  else
    EXPECT_GT(star.engine().counters().lost, 0U);
  EXPECT_EQ(star.engine().counters().delivered_bytes, 400U * kPayload);
}

INSTANTIATE_TEST_SUITE_P(Packets, Headroom, ::testing::Values(24, 25));

// 24.95 packets of the example, the crossing one, and one on the wire back when the pause is
// decided.
TEST(PacketEngine, HeadroomOfALinkCoversRoundTripAndThreePackets) {
  PausedLink link{.rate = 400_Gbps,
                  .back = 400_Gbps,
                  .round_trip = 2_us,
                  .reaction = {},
                  .packet = Bytes(Star::kPacket),
                  .pause_frame = Bytes(84)};
  EXPECT_EQ(headroom_of(link), Bytes(100'000 + 3 * Star::kPacket + 84));
  // A tenth of the rate back: the pause frame waits and is sent for ten times as long.
  link.back = 40_Gbps;
  EXPECT_EQ(headroom_of(link), Bytes(100'000 + 2 * Star::kPacket + 10 * (Star::kPacket + 84)));
}

// 400 to 100 Gb/s (334,240 ps a packet) and a buffer of one packet. a = arrival of packet 0, which
// starts at once; 1 waits; 2 and 3 are lost; 4 comes when 1 starts, and waits. The receiver gets 0,
// 1 and 4 and asks for 2. Packets 2 and 3 come through then, 4 is lost again, and nothing follows
// that would tell: the time-out of 50 us after the last acknowledgement sends it again.
TEST(PacketEngine, GoBackNSendsLostPacketsAgain) {
  auto parameters = Star::store_and_forward();
  parameters.switches.lossless = false;
  parameters.switches.alpha = 1000;
  parameters.switches.buffer = Bytes(Star::kPacket + 100);
  parameters.nic.ack_interval = 1;
  parameters.nic.retransmit_timeout = 50_us;
  Star star({400_Gbps, 100_Gbps}, parameters);
  star.send(star.connect(0, 1), Bytes(5 * kPayload));
  star.run();
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 3U);
  EXPECT_EQ(counted.timeouts, 1U);
  EXPECT_EQ(counted.retransmitted, 4U);
  EXPECT_EQ(counted.data_sent, 9U);
  // Acknowledgements of 84 bytes take 6,720 + 1,680 ps and two latencies.
  const std::int64_t a = kTime + kLatency, answer = 6'720 + 1'680 + 2 * kLatency;
  const std::int64_t asked = a + 3 * 334'240 + kLatency + answer;
  const std::int64_t last_ack = asked + a + 2 * 334'240 + kLatency + answer;
  EXPECT_EQ(star.done(0), last_ack + 50'000'000 + a + 334'240 + kLatency);
}

// The rate of a queue pair belongs to it, not to a message: what the first message was cut to, the
// second one starts with.
TEST(PacketEngine, TheRateOfAQueuePairPersistsFromMessageToMessage) {
  auto parameters = Star::store_and_forward();
  parameters.congestion = Congestion::dcqcn;
  parameters.switches.ecn = {.k_min = Bytes(1), .k_max = Bytes(2), .p_max = 1};
  Star star({400_Gbps, 400_Gbps, 400_Gbps}, parameters);
  const auto pair = star.connect(0, 2);
  star.send(pair, Bytes(20 * kPayload));
  star.send(star.connect(1, 2), Bytes(20 * kPayload));
  star.send(pair, Bytes(20 * kPayload), 20_us);
  star.run();
  EXPECT_GT(star.engine().counters().cnps, 0U);
  // Cut to half, 20 packets take twice their time; at line rate they would take 20 * kTime.
  EXPECT_GT(star.done(2) - 20'000'000, 38 * kTime);
}

// Poisson arrivals at an output by links that are 100 times as fast: W = rho / (2 (1 - rho))
// service times of waiting (Pollaczek and Khinchine). Standard error of 400,000 packets at rho 0.7:
// 0.7 %.
TEST(PacketEngine, WaitingAtAnOutputIsThatOfMD1) {
  constexpr double kLoad = 0.7;
  constexpr std::uint32_t kSources = 32, kPackets = 400'000;
  auto parameters = Star::store_and_forward();
  parameters.switches.buffer = Bytes(1 << 30);
  std::vector<Bandwidth> rates(kSources, Bandwidth::gigabits_per_second(40'000));
  rates.push_back(400_Gbps);
  Star star(rates, parameters);
  std::vector<std::uint32_t> pairs;
  for (std::uint32_t i = 0; i < kSources; ++i) pairs.push_back(star.connect(i, kSources));
  std::mt19937_64 draw(1);
  std::exponential_distribution<double> gap(kLoad / kTime);
  std::uniform_int_distribution<std::uint32_t> source(0, kSources - 1);
  double at = 0;
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    at += gap(draw);
    star.send(pairs[source(draw)], Bytes(kPayload), Time::picoseconds(std::llround(at)));
  }
  star.run();
  const double alone = 836 + kLatency + kTime + kLatency;  // 4178 bytes at 0.2 ps/B
  double waited = 0;
  for (std::uint32_t i = 0; i < kPackets; ++i)
    waited += static_cast<double>(star.done(i) - star.posted()[i].picoseconds()) - alone;
  const double expected = kLoad / (2 * (1 - kLoad)) * kTime;
  EXPECT_NEAR(waited / kPackets / expected, 1, 0.02);
}

TEST(PacketEngine, TheSameSeedGivesTheSameBits) {
  const auto run = [](std::uint64_t seed) {
    Parameters parameters;
    parameters.switches.ecn.p_max = 0.5;
    auto star = std::make_unique<Star>(std::vector<Bandwidth>(9, 100_Gbps), parameters, seed);
    for (std::uint32_t i = 0; i < 8; ++i) star->send(star->connect(i, 8), Bytes(1'000'000));
    star->run();
    std::vector<std::int64_t> done;
    for (std::uint32_t i = 0; i < 8; ++i) done.push_back(star->done(i));
    return done;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(PacketEngine, BuffersThatHeadroomUsesUpAreRefused) {
  auto parameters = Star::store_and_forward();
  parameters.switches.buffer = Bytes(10'000);
  EXPECT_THROW(Star({400_Gbps, 400_Gbps}, parameters), InputError);
}

}  // namespace
}  // namespace railyard::sim::packet
