#include "sim/packet/nic/ingress.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "sim/packet/option_check.hpp"
#include "sim/packet/parameter_check.hpp"
#include "tests/sim/packet/star.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

/// t: a full packet on a link, h: an acknowledgement of 84 bytes (20 ps/B), L: a latency. A NIC
/// takes a packet in 2 t. The first packet arrives at kFirst, and packet k of a train k t after it.
constexpr std::int64_t t = Star::kTime, h = 84 * 20, L = Star::kLatency;
constexpr std::int64_t kFirst = 2 * (t + L);
constexpr std::int64_t kPayload = Star::kPayload, kPacket = Star::kPacket;
const std::vector<Bandwidth> kHosts(3, 400_Gbps);

/// NICs that receive half of what their port carries.
Parameters half() {
  auto parameters = Star::store_and_forward();
  parameters.nic.ingress_rate = 200_Gbps;
  parameters.nic.retransmit_timeout = 100_us;
  return parameters;
}

/// Half, with room for 8 packets that switches may lose too.
Parameters lossy_half() {
  auto parameters = half();
  parameters.switches.lossless = false;
  parameters.nic.ingress_buffer = Bytes(8 * kPacket);
  parameters.nic.recovery = Recovery::selective;
  return parameters;
}

TEST(Ingress, APacketIsTakenAfterItsTime) {
  Star star(kHosts, half());
  star.send(star.connect(0, 1), Bytes(kPayload));
  star.run();
  EXPECT_EQ(star.done(0), kFirst + 2 * t);
}

// After packet k the buffer holds k + 1 packets less those of 2 t that have passed: at most 51 of
// 100, which is less than 262,016 bytes (62 packets).
TEST(Ingress, ATrainIsTakenAtTheRateOfTheNic) {
  auto parameters = half();
  parameters.switches.lossless = false;
  Star star(kHosts, parameters);
  star.send(star.connect(0, 1), Bytes(100 * kPayload));
  star.run();
  EXPECT_EQ(star.done(0), kFirst + 100 * 2 * t);
  EXPECT_EQ(star.engine().counters().nic_lost, 0U);
}

// Messages of one byte: the rate would take them in 83 bytes * 40 ps, the gap is longer.
TEST(Ingress, TheGapLimitsShortPackets) {
  auto parameters = half();
  parameters.nic.ingress_gap = 1_us;
  Star star(kHosts, parameters);
  star.send(star.connect(0, 2), 1_B);
  star.send(star.connect(1, 2), 1_B);
  star.run();
  const std::int64_t arrival = 2 * (83 * 20 + L);
  EXPECT_EQ(std::min(star.done(0), star.done(1)), arrival + 1'000'000);
  EXPECT_EQ(std::max(star.done(0), star.done(1)), arrival + 2'000'000);
}

// Acknowledgements end in the NIC: with one packet on the way, the second one leaves h + L + h + L
// after the first one was taken, although the NIC of host 0 has such a gap too.
TEST(Ingress, AcknowledgementsDoNotWait) {
  auto parameters = half();
  parameters.nic.ingress_rate.reset();
  parameters.nic.ingress_gap = 1_us;
  parameters.nic.ack_interval = 1;
  parameters.nic.window = 1_B;
  Star star(kHosts, parameters);
  star.send(star.connect(0, 1), Bytes(2 * kPayload));
  star.run();
  EXPECT_EQ(star.done(0), 2 * (kFirst + 1'000'000) + 2 * (h + L));
}

// Packet k (from 0) finds k/2 + 1 packets, or (k + 1)/2 where k is odd: packet 14 is the first
// that finds 8. One is taken each 2 t, so packet 15 has room and 16 not, and so on: of 48, the 17
// from 14 to 46 are lost. The next packet shows each gap: it is taken at the earliest 30 t after
// the first one came, and its acknowledgement and the repeated packet need 4 L: 80 t after the
// first one, when 31 packets (62 t) have been taken. Repeated packets come 2 t apart, so none is
// lost again.
TEST(Ingress, ATrainThatIsTooLongLosesEachSecondPacket) {
  Star star(kHosts, lossy_half());
  star.send(star.connect(0, 1), Bytes(48 * kPayload));
  star.run();
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.nic_lost, 17U);
  EXPECT_EQ(counted.lost, 0U);
  EXPECT_EQ(counted.retransmitted, 17U);
  EXPECT_EQ(counted.timeouts, 0U);
}

// Two senders of 24 packets each, whose packets leave the switch in turn: all 17 that are lost are
// those of the first sender, and nothing of it follows. Only its packet 0 is acknowledged before
// the time-out (the receiver acknowledges the first packet and each 256th). So the other 23 come
// as a train, of which 14, 16, 18, 20 and 22 are lost. The next packet shows four of these, a
// second time-out the last one.
TEST(Ingress, AnIncastIntoASlowNicLosesThere) {
  Star star(kHosts, lossy_half());
  star.send(star.connect(0, 2), Bytes(24 * kPayload));
  star.send(star.connect(1, 2), Bytes(24 * kPayload));
  star.run();
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.nic_lost, 17U + 5U);
  EXPECT_EQ(counted.lost, 0U);
  EXPECT_EQ(counted.timeouts, 2U);
  EXPECT_EQ(star.done(1), kFirst + 31 * 2 * t);
}

// A NIC that takes a packet each 20 us. Headroom of its link: 2 us of 400 Gb/s, a pause frame of 84
// bytes and three packets. The rest is 8 packets: the NIC pauses the switch at packet 7, which is
// the 8th in its buffer, and resumes it at 7 packets.
//
// The pause is at the switch h + L after the arrival of packet 7, when packets 0 to 31 have
// started (packet 7 itself t + L before its arrival: 7 + 1 + (2 L + h) / t = 31.96). So 32 packets
// come, and the switch resumes when the NIC has taken 25 of them. Packet 32 is the 8th in the
// buffer again.
TEST(Ingress, ALosslessNicPausesItsSwitch) {
  constexpr std::int64_t kGap = 20'000'000;
  auto parameters = half();
  parameters.nic.ingress_gap = Time::picoseconds(kGap);
  parameters.nic.ingress_buffer = Bytes(100'000 + 84 + 3 * kPacket + 8 * kPacket);
  parameters.nic.retransmit_timeout = 10_ms;
  for (const std::uint32_t packets : {32U, 33U}) {
    Star star(kHosts, parameters);
    star.send(star.connect(0, 2), Bytes(packets * kPayload));
    star.run();
    const Counters& counted = star.engine().counters();
    EXPECT_EQ(counted.nic_lost, 0U);
    EXPECT_EQ(counted.lost, 0U);
    EXPECT_EQ(counted.pauses, packets - 31);
    EXPECT_EQ(star.engine().pauses(Star::down(2)).count, counted.pauses);
    EXPECT_EQ(star.done(0), kFirst + packets * kGap);
    if (packets == 33) continue;
    EXPECT_EQ(counted.paused, Time::picoseconds(25 * kGap - 7 * t));
  }
}

// Three senders of 60 packets. The NIC resumes the switch at 27 packets, which it takes in 54 t.
// The next packet comes after h + L + t + L, 25 t. So the NIC is never without a packet.
TEST(Ingress, PausesKeepASlowNicBusy) {
  auto parameters = half();
  parameters.nic.ingress_buffer = Bytes(100'000 + 84 + 3 * kPacket + 28 * kPacket);
  Star star(std::vector<Bandwidth>(4, 400_Gbps), parameters);
  for (std::uint32_t from = 0; from < 3; ++from)
    star.send(star.connect(from, 3), Bytes(60 * kPayload));
  star.run();
  EXPECT_EQ(std::max({star.done(0), star.done(1), star.done(2)}), kFirst + 180 * 2 * t);
  EXPECT_EQ(star.engine().counters().nic_lost, 0U);
  EXPECT_GT(star.engine().counters().pauses, 1U);
}

// The pauses spread: the switch of a slow NIC pauses host 0, whose packet for host 1 then waits.
// The switch pauses an input at 11,111 bytes of 100,000 (see Watchdog). Host 0 has sent 100 packets
// before: on an idle network the last of them, and the one for host 1 among them, arrive before
// 101 t + t + 2 L.
TEST(Ingress, ASlowReceiverDelaysOtherReceivers) {
  auto parameters = half();
  parameters.switches.buffer = Bytes(3 * (112'618 + 4'096) + 100'000);
  const auto victim = [&] {
    Star star(kHosts, parameters);
    star.send(star.connect(0, 2), Bytes(100 * kPayload));
    star.send(star.connect(0, 1), Bytes(kPayload), 5_us);
    star.run();
    EXPECT_EQ(star.engine().counters().nic_lost, 0U);
    return star.done(1);
  };
  parameters.nic.ingress_buffer = Bytes(112'618 + 2 * kPacket);
  EXPECT_GT(victim(), 103 * t + 2 * L);
  parameters.nic.ingress_rate.reset();
  parameters.nic.ingress_buffer.reset();
  EXPECT_LT(victim(), 102 * t + 2 * L);
}

// With credits the NIC returns the blocks of a packet when it has taken it. 40 packets (66 blocks
// each) are more than the link carries in a round trip, so the NIC is never without a packet.
TEST(Ingress, ASlowNicHoldsBackCredits) {
  auto parameters = half();
  parameters.transport = Transport::ib;
  parameters.switches.credits = Bytes(64 * 66 * 40);
  Star star(kHosts, parameters);
  star.send(star.connect(0, 1), Bytes(200 * kPayload));
  star.run();
  EXPECT_EQ(star.done(0), kFirst + 200 * 2 * t);
  EXPECT_GT(star.engine().pauses(Star::down(1)).count, 0U);
}

TEST(Ingress, ImpossibleOnesAreRefusedByName) {
  auto parameters = half();
  parameters.nic.ingress_buffer = 1_MiB;
  EXPECT_NO_THROW(check(parameters));
  PacketOptions options{.parameters = parameters};
  options.storms = {{.link = LinkId(0), .from = 1_us, .until = 2_us}};
  EXPECT_THROW(check(options), InputError);
  options.storms.clear();
  EXPECT_NO_THROW(check(options));
  parameters.nic.ingress_rate.reset();
  EXPECT_THROW(check(parameters), InputError);  // a buffer without a limit
  parameters = half();
  parameters.nic.ingress_buffer = Bytes(112'618 + kPacket);
  EXPECT_NO_THROW(Star(kHosts, parameters));
  parameters.nic.ingress_buffer = Bytes(112'618 + kPacket - 1);
  EXPECT_THROW(Star(kHosts, parameters), InputError);  // no packet beside the headroom
}

}  // namespace
}  // namespace railyard::sim::packet
