#include <gtest/gtest.h>

#include <random>

#include "tests/sim/packet/dual_ports.hpp"
#include "tests/sim/packet/star.hpp"
#include "tests/sim/packet/two_spines.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::DualPorts;
using testing::Star;
using testing::TwoSpines;

/// t: a full packet, r: a read request of 82 + 16 bytes (20 ps/B), L: a latency, P: the time of a
/// responder, T: the time-out, M: from the failure of a port until its queue pairs use another.
constexpr std::int64_t t = Star::kTime, r = 98 * 20, L = Star::kLatency, P = 700'000;
constexpr std::int64_t T = 100'000'000, M = 50'000'000;
/// Over one switch: from a request to the first packet of its response, and from the start of a
/// packet to its arrival.
constexpr std::int64_t kAsk = 2 * (r + L) + P, kCome = 2 * (t + L);
constexpr std::int64_t kPayload = Star::kPayload;

Parameters reading(Recovery recovery = Recovery::go_back_n) {
  auto parameters = Star::store_and_forward();
  parameters.nic.recovery = recovery;
  parameters.nic.read_latency = Time::picoseconds(P);
  parameters.nic.retransmit_timeout = Time::picoseconds(T);
  return parameters;
}

/// Host 0 reads 100 packets from host 1. The link to it fails in the middle of packet 19 and
/// returns some time later. Packet n is at the switch at kAsk + (n + 1) t + L.
std::int64_t read_over_a_flap(Star& star, std::int64_t returns_after) {
  const std::int64_t fault = kAsk + 20 * t + L + t / 2;
  star.send(star.connect_reader(0, 1), Bytes(100 * kPayload));
  star.engine().change_link(Star::down(0), Time::picoseconds(fault), Bandwidth());
  star.engine().change_link(Star::down(0), Time::picoseconds(fault + returns_after), 400_Gbps);
  star.run();
  EXPECT_EQ(star.engine().counters().delivered_bytes, 100U * kPayload);
  return star.done(0);
}

// Back after 10 packets: 20 to 29 are lost, and packet 30 shows the gap. The new request for packet
// 20 is at the responder when it has sent packet 79.
TEST(ReadFaults, AFlapRepeatsTheRestOfTheResponse) {
  Star star({400_Gbps, 400_Gbps}, reading());
  EXPECT_EQ(read_over_a_flap(star, 10 * t), kAsk + 30 * t + kCome + kAsk + 79 * t + kCome);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 10U);
  EXPECT_EQ(counted.retransmitted, 60U);
  EXPECT_EQ(counted.timeouts, 0U);
}

// Back after the response has ended: no packet shows the gap. The requester asks for packet 20 at
// its time-out, T after packet 19 came.
TEST(ReadFaults, AResponseWhoseEndIsLostIsAskedForAfterATimeOut) {
  Star star({400_Gbps, 400_Gbps}, reading());
  EXPECT_EQ(read_over_a_flap(star, 60'000'000), kAsk + 19 * t + kCome + T + kAsk + 79 * t + kCome);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 80U);
  EXPECT_EQ(counted.retransmitted, 1U + 80U);
  EXPECT_EQ(counted.timeouts, 1U);
}

// With selective repeat the acknowledgement of packet 30 reports packets 1 to 19 too. It is at the
// responder after 79.9 packets, and packets 20 to 29 follow packet 79.
TEST(ReadFaults, SelectiveRepeatSendsTheLostPacketsAlone) {
  Star star({400_Gbps, 400_Gbps}, reading(Recovery::selective));
  ASSERT_EQ((30 * t + kCome + 2 * (84 * 20 + L)) / t, 79);
  EXPECT_EQ(read_over_a_flap(star, 10 * t), kAsk + 109 * t + kCome);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 10U);
  EXPECT_EQ(counted.retransmitted, 10U);
  EXPECT_EQ(counted.timeouts, 0U);
}

// The responder has a timer. Packet 0 alone is acknowledged before; the next acknowledgement is
// back when the last packet has left for the second time.
TEST(ReadFaults, SelectiveRepeatSendsTheEndOfAResponseAfterItsTimeOut) {
  Star star({400_Gbps, 400_Gbps}, reading(Recovery::selective));
  EXPECT_EQ(read_over_a_flap(star, 60'000'000), kAsk + T + 99 * t + kCome);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 80U);
  EXPECT_EQ(counted.retransmitted, 99U);
  EXPECT_EQ(counted.timeouts, 1U);
}

// TIMELY needs acknowledgements, each of h = 84 bytes. It leaves a queue pair that is alone at line
// rate. The negative acknowledgement for packet 20 is at the responder after 79.9 packets; packet
// 20 follows packet 79 without the time of a responder.
TEST(ReadFaults, GoBackNWithAcknowledgementsGoesBackAtOnce) {
  auto parameters = reading();
  parameters.congestion = Congestion::timely;
  Star star({400_Gbps, 400_Gbps}, parameters);
  EXPECT_EQ(read_over_a_flap(star, 10 * t), kAsk + 159 * t + kCome);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 10U);
  EXPECT_EQ(counted.retransmitted, 60U);
  EXPECT_EQ(counted.timeouts, 0U);
}

// The responder has a timer, T after the acknowledgement of packet 19.
TEST(ReadFaults, GoBackNWithAcknowledgementsHasTheTimerAtTheResponder) {
  auto parameters = reading();
  parameters.congestion = Congestion::timely;
  Star star({400_Gbps, 400_Gbps}, parameters);
  EXPECT_EQ(read_over_a_flap(star, 60'000'000),
            kAsk + 19 * t + kCome + 2 * (84 * 20 + L) + T + 79 * t + kCome);
  EXPECT_EQ(star.engine().counters().lost, 80U);
  EXPECT_EQ(star.engine().counters().retransmitted, 80U);
  EXPECT_EQ(star.engine().counters().timeouts, 1U);
}

// The first try of both requests arrives and both responses are lost. Of the second try the
// response to the first request arrives, and its loss shows in packet 1, which is lost too. So the
// third try repeats the second request alone.
TEST(ReadFaults, ARequestMayComeAThirdTime) {
  Star star({400_Gbps, 400_Gbps}, reading());
  const std::uint32_t pair = star.connect_reader(0, 1);
  for (int i = 0; i < 2; ++i) star.send(pair, Bytes(kPayload));
  const std::int64_t second = T + kAsk + 2 * t + L;  // packet 0 has left the switch
  star.engine().change_link(Star::down(0), Time::picoseconds(1), Bandwidth());
  star.engine().change_link(Star::down(0), 50_us, 400_Gbps);
  star.engine().change_link(Star::down(0), Time::picoseconds(second - t / 2), Bandwidth());
  star.engine().change_link(Star::down(0), Time::picoseconds(second + 10 * t), 400_Gbps);
  star.run();
  EXPECT_EQ(star.done(0), T + kAsk + kCome);
  EXPECT_EQ(star.done(1), star.done(0) + T + kAsk + kCome);
  EXPECT_EQ(star.engine().counters().timeouts, 2U);
  EXPECT_EQ(star.engine().counters().lost, 3U);
}

// The link to host 0 works at a quarter of its rate from the middle of packet 19 on: nothing is
// lost, and packets 20 to 99 take 4 t each. Packet 20 is at the switch at kAsk + 21 t + L.
TEST(ReadFaults, ADegradedLinkIsSlowerFromThenOn) {
  Star star({400_Gbps, 400_Gbps}, reading());
  star.send(star.connect_reader(0, 1), Bytes(100 * kPayload));
  star.engine().change_link(Star::down(0), Time::picoseconds(kAsk + 20 * t + L + t / 2), 100_Gbps);
  star.run();
  EXPECT_EQ(star.done(0), kAsk + 21 * t + L + 80 * 4 * t + L);
  EXPECT_EQ(star.engine().counters().lost, 0U);
}

// Host 0 reads from host 4 over spine 0, whose link to the leaf of host 0 fails in the middle of
// packet 19 and does not return. Both ways use spine 1 when the requester asks again.
TEST(ReadFaults, RequestsAndResponsesTakeTheirNextRoutes) {
  TwoSpines spines(reading());
  Engine& engine = spines.engine();
  const std::uint32_t data = engine.add_pair(spines.route(4, 0, 0), 1, spines.route(0, 4, 0));
  const std::uint32_t asking =
      engine.add_reader(data, spines.route(0, 4, 0), spines.route(4, 0, 0));
  engine.post(asking, Time(), Bytes(100 * kPayload), 0);
  const std::int64_t ask = 4 * (r + L) + P, come = 4 * (t + L);
  const Time fault = Time::picoseconds(ask + 21 * t + 2 * L + t / 2);
  engine.change_link(13, fault, Bandwidth());
  engine.change_link(12, fault, Bandwidth());
  const std::uint32_t there = spines.route(4, 0, 1), back = spines.route(0, 4, 1);
  engine.reroute({.pair = data, .first_route = there, .back = back, .at = fault + 50_us});
  engine.reroute({.pair = asking, .first_route = back, .back = there, .at = fault + 50_us});
  EXPECT_EQ(spines.run(), ask + 19 * t + come + T + ask + 79 * t + come);
  EXPECT_EQ(engine.counters().lost, 80U);
  EXPECT_EQ(engine.counters().timeouts, 1U);
}

// The port of the responder fails in the middle of packet 19, which still arrives. The requester
// asks for packet 20 as soon as both use the other port.
TEST(ReadFaults, AResponderWhosePortFailedIsAskedAgain) {
  DualPorts ports(reading(), {.packets = 100, .reads = true});
  const std::int64_t fault = kAsk + 19 * t + t / 2;
  ports.fail(0, fault);
  EXPECT_EQ(ports.run(), fault + M + kAsk + 79 * t + kCome);
  EXPECT_EQ(ports.engine().counters().retransmitted, 1U);
  EXPECT_EQ(ports.engine().counters().lost, 0U);
  EXPECT_EQ(ports.engine().counters().timeouts, 0U);
}

// The port of the requester fails in the middle of packet 19 on the link from the switch. The
// responder sends until its queue pair has another path, 11.97 + 598.37 t after it has sent 20.5
// packets: 631 of the 1,000. Of these all but 20 are lost.
TEST(ReadFaults, ARequesterWhosePortFailedAsksByAnotherOne) {
  DualPorts ports(reading(), {.packets = 1000, .reads = true});
  const std::int64_t fault = kAsk + 20 * t + L + t / 2;
  ports.fail(4, fault);
  EXPECT_EQ(ports.run(), fault + M + kAsk + 979 * t + kCome);
  EXPECT_EQ(ports.engine().counters().lost, 611U);
  EXPECT_EQ(ports.engine().counters().retransmitted, 1U + 611U);
  EXPECT_EQ(ports.engine().counters().timeouts, 0U);
}

// With selective repeat the responder sends again what is not acknowledged. Its acknowledgements,
// one per packet, were lost: packet 0 would be acknowledged after 2 t + 4 L + 2 h, at 49.9 t.
TEST(ReadFaults, AResponderRepeatsSelectivelyByItsOtherPort) {
  auto selective = reading(Recovery::selective);
  selective.nic.ack_interval = 1;
  DualPorts ports(selective, {.packets = 100, .reads = true});
  const std::int64_t fault = kAsk + 19 * t + t / 2;
  ports.fail(0, fault);
  EXPECT_EQ(ports.run(), fault + M + 99 * t + kCome);
  EXPECT_EQ(ports.engine().counters().retransmitted, 20U);
}

// Seven packets are acknowledged before the port of the requester fails (see
// LinkFaults.SelectiveRepeatSendsWhatTheFailedPortLost), 93 are sent again.
TEST(ReadFaults, ARequesterAcknowledgesByItsOtherPort) {
  auto selective = reading(Recovery::selective);
  selective.nic.ack_interval = 1;
  DualPorts ports(selective, {.packets = 100, .reads = true});
  const std::int64_t fault = kAsk + 20 * t + L + t / 2;
  ports.fail(4, fault);
  EXPECT_EQ(ports.run(), fault + M + 92 * t + kCome);
  EXPECT_EQ(ports.engine().counters().lost, 80U);
  EXPECT_EQ(ports.engine().counters().retransmitted, 93U);
}

struct Way {
  const char* name;
  Recovery recovery;
  Congestion congestion;
};

class FlappingReads : public ::testing::TestWithParam<Way> {};

// Each of four hosts reads 20 messages from each other one, while each link fails four times for
// up to 13 us.
TEST_P(FlappingReads, EveryByteArrivesOnce) {
  auto parameters = reading(GetParam().recovery);
  parameters.congestion = GetParam().congestion;
  Star star(std::vector<Bandwidth>(4, 400_Gbps), parameters);
  for (std::uint32_t link = 0; link < 8; ++link)
    for (std::int64_t k = 0; k < 4; ++k) {
      const Time at = Time::picoseconds((2 + 7 * link % 11 + 31 * k) * 1'000'000);
      star.engine().change_link(link, at, Bandwidth());
      star.engine().change_link(link, at + Time::picoseconds((3 + link + k) * 1'000'000), 400_Gbps);
    }
  for (std::uint32_t reads = 0; reads < 4; ++reads)
    for (std::uint32_t from = 0; from < 4; ++from) {
      if (reads == from) continue;
      const std::uint32_t pair = star.connect_reader(reads, from);
      for (std::int64_t m = 0; m < 20; ++m) star.send(pair, Bytes(1 + m * 3001));
    }
  star.run();
  EXPECT_EQ(star.deliveries(), 240U);
  EXPECT_GT(star.engine().counters().lost, 50U);
  EXPECT_EQ(star.engine().counters().delivered_bytes, star.engine().counters().posted_bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, FlappingReads,
    ::testing::Values(Way{"go_back_n", Recovery::go_back_n, Congestion::none},
                      Way{"dcqcn", Recovery::go_back_n, Congestion::dcqcn},
                      Way{"swift", Recovery::go_back_n, Congestion::swift},
                      Way{"timely", Recovery::go_back_n, Congestion::timely},
                      Way{"hpcc", Recovery::go_back_n, Congestion::hpcc},
                      Way{"selective_hpcc", Recovery::selective, Congestion::hpcc},
                      Way{"selective", Recovery::selective, Congestion::none},
                      Way{"selective_dcqcn", Recovery::selective, Congestion::dcqcn},
                      Way{"selective_swift", Recovery::selective, Congestion::swift},
                      Way{"selective_timely", Recovery::selective, Congestion::timely}),
    [](const auto& test) { return std::string(test.param.name); });

class RandomReads : public ::testing::TestWithParam<unsigned> {};

// Reads and writes between three to six hosts, whose links fail now and then for less than a
// time-out, over switches that lose packets or pause. Each message is complete once.
TEST_P(RandomReads, AreComplete) {
  std::mt19937 draw(GetParam());
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(draw() % n); };
  constexpr Congestion kControls[] = {Congestion::none, Congestion::dcqcn, Congestion::timely,
                                      Congestion::swift, Congestion::hpcc};
  auto parameters = reading(below(2) == 0 ? Recovery::selective : Recovery::go_back_n);
  const std::uint32_t control = below(5);
  parameters.congestion = kControls[control];
  parameters.nic.outstanding_reads = static_cast<int>(1 + below(16));
  parameters.nic.retransmit_timeout = Time::microseconds(100 + below(200));
  if (below(2) == 0) parameters.nic.window = Bytes(20 * kPayload);
  if (below(3) == 0) parameters.nic.read_latency = {};
  if (control < 3 && below(2) == 0) parameters.nic.ack_interval = static_cast<int>(1 + below(8));
  parameters.clock_tolerance = 1e-4;
  parameters.switches.cut_through = below(2) == 0;
  parameters.switches.lossless = below(2) == 0;
  parameters.switches.buffer = Bytes(parameters.switches.lossless ? 1'000'000 : 200'000);
  if (parameters.switches.lossless && below(2) == 0) parameters.nic.first_timeout = 40_us;
  const std::uint32_t hosts = 3 + below(4);
  Star star(std::vector<Bandwidth>(hosts, 400_Gbps), parameters);
  for (std::uint32_t link = 0; link < 2 * hosts; ++link) {
    std::uint32_t at = 1;
    for (std::uint32_t k = below(4); k > 0; --k) {
      at += 1 + below(60);
      star.engine().change_link(link, Time::microseconds(at), Bandwidth());
      at += 1 + below(30);
      star.engine().change_link(link, Time::microseconds(at), below(3) == 0 ? 100_Gbps : 400_Gbps);
    }
  }
  for (std::uint32_t pair = 0; pair < 12; ++pair) {
    const std::uint32_t a = below(hosts), b = (a + 1 + below(hosts - 1)) % hosts;
    const std::uint32_t number = below(4) == 0 ? star.connect(a, b) : star.connect_reader(a, b);
    for (std::uint32_t m = below(30); m > 0; --m) {
      const Time at = Time::microseconds(below(80));
      const std::uint32_t most = below(4) == 0 ? 400'000 : 9'000;
      star.send(number, Bytes(1 + below(most)), at);
    }
  }
  star.run();
  EXPECT_EQ(star.deliveries(), star.posted().size());
  EXPECT_EQ(star.engine().counters().delivered_bytes, star.engine().counters().posted_bytes);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReads, ::testing::Range(1U, 101U));

}  // namespace
}  // namespace railyard::sim::packet
