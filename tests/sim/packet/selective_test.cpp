#include <gtest/gtest.h>

#include <tuple>

#include "core/diagnostic.hpp"
#include "sim/packet/parameter_check.hpp"
#include "tests/sim/packet/star.hpp"
#include "tests/sim/packet/two_spines.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

/// t: a full packet, h: a header of 84 bytes (20 ps/B), L: a latency.
constexpr std::int64_t t = Star::kTime, h = 84 * 20, L = Star::kLatency;

/// Room for `packets` at an output beside the one on the wire.
Parameters lossy(int packets, Recovery recovery) {
  auto parameters = Star::store_and_forward();
  parameters.switches.lossless = false;
  parameters.switches.alpha = 1;
  parameters.switches.queue = Bytes(packets * Star::kPacket);
  parameters.nic.recovery = recovery;
  return parameters;
}

Parameters trimming(int packets) {
  auto parameters = lossy(packets, Recovery::selective);
  parameters.transport = Transport::uec;
  parameters.switches.trim = true;
  parameters.switches.trim_tail = 0;
  parameters.switches.control = ControlQueue::strict;
  return parameters;
}

std::vector<Bandwidth> hosts(std::size_t count) { return std::vector<Bandwidth>(count, 400_Gbps); }

// Hosts 0, 1 and 2 send at the same time; the output has room for one packet beside that on the
// wire, so the first one of host 2 is lost. Its second one is delivered at 4t + 2L and shows the
// gap; the acknowledgement needs 2 (h + L), the packet again 2 (t + L).
TEST(Selective, TheLostPacketAloneIsSentAgain) {
  Star star(hosts(4), lossy(1, Recovery::selective));
  star.send(star.connect(0, 3), Bytes(Star::kPayload));
  star.send(star.connect(1, 3), Bytes(Star::kPayload));
  star.send(star.connect(2, 3), Bytes(3 * Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(2), 6 * t + 6 * L + 2 * h);
  EXPECT_EQ(star.engine().counters().lost, 1U);
  EXPECT_EQ(star.engine().counters().retransmitted, 1U);
  EXPECT_EQ(star.engine().counters().timeouts, 0U);
}

// Go-back-N sends all three again.
TEST(Selective, GoBackNSendsWhatFollowedToo) {
  Star star(hosts(4), lossy(1, Recovery::go_back_n));
  star.send(star.connect(0, 3), Bytes(Star::kPayload));
  star.send(star.connect(1, 3), Bytes(Star::kPayload));
  star.send(star.connect(2, 3), Bytes(3 * Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(2), 8 * t + 6 * L + 2 * h);
  EXPECT_EQ(star.engine().counters().retransmitted, 3U);
}

// Nothing follows the lost packet, so the timer finds it, a time-out after it was sent.
TEST(Selective, ALostLastPacketWaitsForTheTimer) {
  auto parameters = lossy(1, Recovery::selective);
  parameters.nic.retransmit_timeout = 100_us;
  Star star(hosts(4), parameters);
  for (std::uint32_t i = 0; i < 3; ++i) star.send(star.connect(i, 3), Bytes(Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(2), 100'000'000 + 2 * t + 2 * L);
  EXPECT_EQ(star.engine().counters().timeouts, 1U);
}

// An output with room for four packets beside that on the wire, asked for by 8 hosts with four on
// their way each.
TEST(Selective, EveryByteArrivesOnceUnderHeavyLoss) {
  auto parameters = lossy(4, Recovery::selective);
  parameters.nic.retransmit_timeout = 50_us;
  parameters.nic.window = Bytes(4 * Star::kPayload);
  Star star(hosts(9), parameters);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t pair = star.connect(i, 8);
    for (int m = 0; m < 3; ++m) star.send(pair, Bytes(40 * Star::kPayload + 100));
  }
  star.run();
  EXPECT_EQ(star.deliveries(), 24U);
  EXPECT_GT(star.engine().counters().lost, 30U);
  EXPECT_EQ(star.engine().counters().delivered_bytes, star.engine().counters().posted_bytes);
}

// As above, but the payload alone is lost. The header of host 2 passes the packet that waits, and
// is at the receiver at 2t + 2L + h; the request needs 2 (h + L), the packet again 2 (t + L). The
// packet of host 1 waited for the header.
TEST(Trimming, ATrimmedPacketIsAskedForAtOnce) {
  Star star(hosts(4), trimming(1));
  for (std::uint32_t i = 0; i < 3; ++i) star.send(star.connect(i, 3), Bytes(Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(0), 2 * t + 2 * L);
  EXPECT_EQ(star.done(1), 3 * t + 2 * L + h);
  EXPECT_EQ(star.done(2), 4 * t + 6 * L + 3 * h);
  EXPECT_EQ(star.engine().counters().trimmed, 1U);
  EXPECT_EQ(star.engine().counters().lost, 0U);
}

// The last waiting packet, that of host 1, loses its payload instead.
TEST(Trimming, TheTailIsTrimmedInsteadOfTheArrivingPacket) {
  auto parameters = trimming(1);
  parameters.switches.trim_tail = 1;
  Star star(hosts(4), parameters);
  for (std::uint32_t i = 0; i < 3; ++i) star.send(star.connect(i, 3), Bytes(Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(2), 3 * t + 2 * L + h);
  EXPECT_EQ(star.done(1), 4 * t + 6 * L + 3 * h);
}

// 12 packets arrive together: one goes, four wait, seven headers wait. Strict: the headers first.
// Weight 2: data packet k (1 to 4) waits for min(2k, 7) headers and k data packets. Strict: the
// seven come again within 7h, one goes, four wait, two are trimmed again. Weight 2: they come t
// apart in pairs, and find room.
TEST(Priorities, ControlGoesBeforeDataAtThePacketBoundary) {
  for (const bool is_strict : {true, false}) {
    auto parameters = trimming(4);
    parameters.switches.control = is_strict ? ControlQueue::strict : ControlQueue::weighted;
    parameters.switches.control_weight = 2;
    Star star(hosts(13), parameters);
    for (std::uint32_t i = 0; i < 12; ++i) star.send(star.connect(i, 12), Bytes(Star::kPayload));
    star.run();
    EXPECT_EQ(star.engine().counters().trimmed, is_strict ? 9U : 7U);
    for (std::uint32_t k = 1; k <= 4; ++k)
      EXPECT_EQ(star.done(k), (k + 2) * t + 2 * L + (is_strict ? 7 : std::min(2 * k, 7U)) * h) << k;
  }
}

// Host 0 may have one packet on its way, to host 3, while hosts 1 and 2 fill its own link. The
// acknowledgement is at the switch at 2t + 3L + h; the link is busy with packets that began at
// t + L, so the next boundary is 25t after that: it goes from 26t + L to 26t + L + h.
TEST(Priorities, AnAcknowledgementPassesAQueueOfData) {
  auto parameters = Star::store_and_forward();
  parameters.switches.control = ControlQueue::strict;
  parameters.nic.ack_interval = 1;
  parameters.nic.window = Bytes(1);
  Star star(hosts(4), parameters);
  star.send(star.connect(0, 3), Bytes(2 * Star::kPayload));
  for (std::uint32_t from = 1; from < 3; ++from)
    for (int i = 0; i < 60; ++i) star.send(star.connect(from, 0), Bytes(Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(0), (26 * t + 2 * L + h) + 2 * t + 2 * L);
}

Parameters pulled() {
  auto parameters = trimming(8);
  parameters.transport = Transport::ndp;
  parameters.congestion = Congestion::ndp;
  parameters.nic.initial_window = Bytes(2 * Star::kPayload);
  return parameters;
}

// Two packets go unasked. Each that arrives brings an acknowledgement and, h after it, a pull:
// packets 2 and 3 leave 2t + 4L + 3h and t after that. Packet 4 leaves as long after the arrival of
// packet 2.
TEST(Pulls, APacketLeavesForEachThatArrived) {
  Star star(hosts(2), pulled());
  star.send(star.connect(0, 1), Bytes(5 * Star::kPayload));
  star.run();
  const std::int64_t round = 2 * t + 4 * L + 3 * h;
  EXPECT_EQ(star.done(0), 2 * round + 2 * t + 2 * L);
  EXPECT_EQ(star.engine().counters().pulls, 3U);
}

// A message that is posted when the first one has been sent and not pulled for: it brings its first
// packet, which asks for the others. No timer is needed.
TEST(Pulls, AMessageThatFollowsIsAnnounced) {
  Star star(hosts(2), pulled());
  const std::uint32_t pair = star.connect(0, 1);
  star.send(pair, Bytes(2 * Star::kPayload));
  star.send(pair, Bytes(6 * Star::kPayload), Time::picoseconds(2 * t + L));
  star.run();
  EXPECT_EQ(star.engine().counters().timeouts, 0U);
  EXPECT_LT(star.done(1), 100'000'000);
}

// Room for a packet and for one header of 3,000 bytes (60,000 ps): of four packets that arrive
// together one goes, one waits, the header of the third waits, and that of the fourth goes back. It
// leaves at t + L and is at its sender after 60,000 ps + L. Nothing of it is on the way, so the
// packet leaves at once and finds an empty queue behind the header, which left at 2t + L, and the
// packet that waited.
TEST(Trimming, AHeaderWithoutRoomGoesBackToItsSender) {
  auto parameters = trimming(1);
  parameters.switches.trimmed_bytes = Bytes(3000);
  parameters.switches.return_to_sender = true;
  parameters.transport = Transport::ndp;
  parameters.congestion = Congestion::ndp;
  parameters.nic.initial_window = Bytes(Star::kPayload);
  Star star(hosts(5), parameters);
  for (std::uint32_t i = 0; i < 4; ++i) star.send(star.connect(i, 4), Bytes(Star::kPayload));
  star.run();
  EXPECT_EQ(star.engine().counters().returned, 1U);
  EXPECT_EQ(star.engine().counters().lost, 0U);
  EXPECT_EQ(star.engine().counters().timeouts, 0U);
  EXPECT_EQ(star.done(3), t + L + 60'000 + L + 2 * (t + L));
}

// A control queue that is longer than that of data keeps the second header too.
TEST(Trimming, TheControlQueueHasItsOwnLength) {
  auto parameters = trimming(1);
  parameters.switches.trimmed_bytes = Bytes(3000);
  parameters.switches.control_queue = Bytes(6000);
  parameters.switches.return_to_sender = true;
  parameters.transport = Transport::ndp;
  parameters.congestion = Congestion::ndp;
  parameters.nic.initial_window = Bytes(Star::kPayload);
  Star star(hosts(5), parameters);
  for (std::uint32_t i = 0; i < 4; ++i) star.send(star.connect(i, 4), Bytes(Star::kPayload));
  star.run();
  EXPECT_EQ(star.engine().counters().trimmed, 2U);
  EXPECT_EQ(star.engine().counters().returned, 0U);
  EXPECT_EQ(star.engine().counters().lost, 0U);
}

// One that is shorter than that of data has room for one header of 2,000 bytes: that of the fourth
// packet goes back, although a queue of data would keep both.
TEST(Trimming, AControlQueueMayBeShorterThanThatOfData) {
  auto parameters = trimming(1);
  parameters.switches.trimmed_bytes = Bytes(2000);
  parameters.switches.control_queue = Bytes(2000);
  parameters.switches.return_to_sender = true;
  parameters.transport = Transport::ndp;
  parameters.congestion = Congestion::ndp;
  parameters.nic.initial_window = Bytes(Star::kPayload);
  Star star(hosts(5), parameters);
  for (std::uint32_t i = 0; i < 4; ++i) star.send(star.connect(i, 4), Bytes(Star::kPayload));
  star.run();
  EXPECT_EQ(star.engine().counters().returned, 1U);
  EXPECT_EQ(star.engine().counters().lost, 0U);
}

// The first leaf trims what four hosts send to its two spines. Where the last leaf has no room for
// a header of these, that leaf sends it back, over the spine and the first leaf.
TEST(Trimming, AHeaderThatAnotherSwitchMadeGoesBackToItsSender) {
  auto parameters = trimming(1);
  parameters.switches.trimmed_bytes = Bytes(3000);
  parameters.switches.control_queue = Bytes(24'000);
  parameters.switches.return_to_sender = true;
  parameters.transport = Transport::ndp;
  parameters.congestion = Congestion::ndp;
  parameters.nic.initial_window = Bytes(8 * Star::kPayload);
  testing::TwoSpines net(parameters);
  for (std::uint32_t from = 0; from < 4; ++from)
    net.send({.from = from, .to = 4, .paths = 2}, Bytes(8 * Star::kPayload));
  std::ignore = net.run();
  EXPECT_GT(net.engine().counters().returned, 0U);
  EXPECT_EQ(net.engine().counters().lost, 0U);
  EXPECT_EQ(net.engine().counters().timeouts, 0U);
}

// 8 senders: first windows are trimmed, then pulls keep the link busy and the queue short.
TEST(Pulls, AnIncastRunsAtTheRateOfTheReceiver) {
  for (const Congestion congestion : {Congestion::ndp, Congestion::rccc}) {
    auto parameters = pulled();
    parameters.congestion = congestion;
    parameters.transport = congestion == Congestion::ndp ? Transport::ndp : Transport::uec;
    parameters.nic.initial_window.reset();
    Star star(hosts(9), parameters);
    for (std::uint32_t i = 0; i < 8; ++i)
      star.send(star.connect(i, 8), Bytes(256 * Star::kPayload));
    star.run();
    std::int64_t last = 0;
    for (std::uint32_t i = 0; i < 8; ++i) last = std::max(last, star.done(i));
    const double ideal = 8 * 256 * t + t + 2 * L;
    EXPECT_GT(static_cast<double>(last), ideal);
    EXPECT_LT(static_cast<double>(last), 1.03 * ideal);
    EXPECT_LE(star.engine().links()[Star::down(8)].most_queued, 8 * Star::kPacket);
    EXPECT_EQ(star.engine().counters().lost, 0U);
  }
}

// 100 senders of 30 packets each, one at a time: between two pulls of a sender are 100 packet times
// (8.4 us), for about half of which nothing of it is on its way. It made progress within its
// time-out of 20 us, so the timer finds nothing to send again.
TEST(Pulls, ASenderThatWaitsForItsTurnHasNoTimeOut) {
  constexpr std::uint32_t kSenders = 100;
  constexpr std::int64_t kPackets = 30;
  auto parameters = pulled();
  parameters.nic.initial_window = Bytes(Star::kPayload);
  parameters.nic.retransmit_timeout = 20_us;
  Star star(hosts(kSenders + 1), parameters);
  for (std::uint32_t i = 0; i < kSenders; ++i)
    star.send(star.connect(i, kSenders), Bytes(kPackets * Star::kPayload));
  star.run();
  std::int64_t last = 0;
  for (std::uint32_t i = 0; i < kSenders; ++i) last = std::max(last, star.done(i));
  EXPECT_EQ(star.engine().counters().timeouts, 0U);
  EXPECT_LT(static_cast<double>(last), 1.05 * static_cast<double>(kSenders * kPackets * t));
}

TEST(Combinations, ImpossibleOnesAreRefusedByName) {
  const auto is_refused = [](auto change) {
    Parameters parameters;
    change(parameters);
    EXPECT_THROW(check(parameters), InputError);
  };
  EXPECT_NO_THROW(check(trimming(1)));
  EXPECT_NO_THROW(check(pulled()));
  is_refused([](Parameters& p) { p.congestion = Congestion::nscc; });
  is_refused([](Parameters& p) { p.transport = Transport::ib; });  // no credits, and dcqcn
  is_refused([](Parameters& p) { p.switches.credits = 64_KiB; });
  is_refused([](Parameters& p) { p.switches.trim = true; });
  is_refused([](Parameters& p) { p.switches.queue = 64_KiB; });
  is_refused([](Parameters& p) {
    p = trimming(1);
    p.nic.recovery = Recovery::go_back_n;
  });
  is_refused([](Parameters& p) {
    p = trimming(1);
    p.switches.control = ControlQueue::shared;
  });
  is_refused([](Parameters& p) {
    p = pulled();
    p.switches.trim = false;
  });
}

}  // namespace
}  // namespace railyard::sim::packet
