#include "sim/packet/switch/credits.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/sim/packet/star.hpp"
#include "tests/sim/packet/two_spines.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;
using testing::TwoSpines;

constexpr std::int64_t kFast = Star::kTime, kSlow = 4 * Star::kTime, kLatency = Star::kLatency;

Parameters with_credits(Bytes buffer) {
  auto parameters = Star::store_and_forward();
  parameters.transport = Transport::ib;
  parameters.switches.credits = buffer;
  return parameters;
}

// From 400 to 100 Gb/s with room for two packets of 66 blocks at the switch and at the receiver.
// t and T: a packet on the first and the second link, L: a latency.
//
// Packets 0 and 1 leave at 0 and t. Packet 0 is at the switch at t + L, has left at t + L + T, and
// the sender knows at t + 2L + T: then packet 2 leaves. Packet 1 has left the switch at t + L + 2T,
// so packet 3 leaves the sender at t + 2L + 2T and the switch at t + L later, where packet 2 has
// just ended. It is delivered at 2t + 4L + 3T.
TEST(Credits, APacketWaitsUntilTheBufferHasRoom) {
  Star star({400_Gbps, 100_Gbps}, with_credits(Bytes(2 * 66 * 64)));
  star.send(star.connect(0, 1), Bytes(4 * Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(0), 2 * kFast + 4 * kLatency + 3 * kSlow);
  // Packet 2 could have left at 2t, packet 3 at 2t + 2L + T.
  const auto stalls = star.engine().pauses(Star::up(0));
  EXPECT_EQ(stalls.count, 2U);
  EXPECT_EQ(stalls.total, (2 * kLatency + kSlow - kFast) + (kSlow - kFast));
  EXPECT_EQ(star.engine().pauses(Star::down(1)).count, 0U);
}

// A block less, and there is room for one packet only: the sender waits a round trip for each.
TEST(Credits, OneBlockLessHoldsOnePacketLess) {
  Star star({400_Gbps, 400_Gbps}, with_credits(Bytes(2 * 66 * 64 - 64)));
  star.send(star.connect(0, 1), Bytes(3 * Star::kPayload));
  star.run();
  // A packet is at the switch after t + L, has left after 2t + L, the sender knows after 2t + 2L.
  EXPECT_EQ(star.done(0), 2 * (2 * kFast + 2 * kLatency) + 2 * kFast + 2 * kLatency);
}

// A round trip is 2L + 2t from the start of a packet until its blocks are free again: 26 packets.
TEST(Credits, BuffersOfARoundTripCostNothing) {
  Star star({400_Gbps, 400_Gbps}, with_credits(Bytes(27 * 66 * 64)));
  star.send(star.connect(0, 1), Bytes(500 * Star::kPayload));
  star.run();
  EXPECT_EQ(star.done(0), 501 * kFast + 2 * kLatency);
  EXPECT_EQ(star.engine().counters().pauses, 0U);
}

// An incast stays in the buffers of its inputs, and the output never runs empty.
TEST(Credits, AnIncastIsHeldBackAtItsSources) {
  constexpr std::uint32_t kSenders = 8;
  constexpr std::int64_t kPackets = 64;
  Star star(std::vector<Bandwidth>(kSenders + 1, 400_Gbps), with_credits(Bytes(27 * 66 * 64)));
  for (std::uint32_t i = 0; i < kSenders; ++i)
    star.send(star.connect(i, kSenders), Bytes(kPackets * Star::kPayload));
  star.run();
  std::int64_t last = 0;
  for (std::uint32_t i = 0; i < kSenders; ++i) last = std::max(last, star.done(i));
  EXPECT_EQ(last, kFast + kLatency + kSenders * kPackets * kFast + kLatency);
  EXPECT_LE(star.engine().links()[Star::down(kSenders)].most_queued, 8 * 27 * Star::kPacket);
  EXPECT_EQ(star.engine().counters().lost, 0U);
}

// Two hosts send 100 packets each to different hosts behind the other leaf. The leaf sends each
// packet where less waits, so each spine carries half and nothing waits for more than one packet:
// 100 packets and four hops, and at most a packet more at each switch that they share.
TEST(Adaptive, ALeafSendsEachPacketWhereLessWaits) {
  TwoSpines spines(with_credits(256_KiB));
  spines.engine().route_adaptively();
  std::ignore = spines.send({.from = 0, .to = 4, .paths = 2}, Bytes(100 * Star::kPayload));
  std::ignore = spines.send({.from = 1, .to = 5, .paths = 2}, Bytes(100 * Star::kPayload));
  const std::int64_t alone = 103 * kFast + 4 * kLatency;
  const std::int64_t last = spines.run();
  EXPECT_GE(last, alone);
  EXPECT_LE(last, alone + 3 * kFast);
  EXPECT_EQ(spines.engine().counters().delivered_bytes, 200U * Star::kPayload);
  EXPECT_LE(spines.engine().links()[12].most_queued, 2 * Star::kPacket);
  const auto carried = spines.engine().carried();
  EXPECT_EQ(carried[12] + carried[14], 200U * Star::kPacket);
  EXPECT_NEAR(static_cast<double>(carried[12]), 100 * Star::kPacket, 2 * Star::kPacket);
}

TEST(Credits, ABufferBelowOnePacketIsRefused) {
  EXPECT_THROW(Star({400_Gbps, 400_Gbps}, with_credits(Bytes(65 * 64))), InputError);
}

}  // namespace
}  // namespace railyard::sim::packet
