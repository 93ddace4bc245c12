#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/traffic/traffic.hpp"
#include "core/diagnostic.hpp"
#include "sim/packet/option_check.hpp"
#include "sim/packet/packet_network.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/packet/star.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

/// t: a full packet, r: a read request of 82 + 16 bytes (20 ps/B), L: a latency, P: the time of a
/// responder. A read of one packet is complete R after its request left.
constexpr std::int64_t t = Star::kTime, r = 98 * 20, L = Star::kLatency, P = 700'000;
constexpr std::int64_t R = 2 * (r + L) + P + 2 * (t + L);
constexpr std::int64_t kPayload = Star::kPayload;
const std::vector<Bandwidth> kHosts(3, 400_Gbps);

Parameters reading(int outstanding = 16) {
  auto parameters = Star::store_and_forward();
  parameters.nic.read_latency = Time::picoseconds(P);
  parameters.nic.outstanding_reads = outstanding;
  parameters.nic.retransmit_timeout = 100_us;
  return parameters;
}

/// ps until the last of `count` reads of a packet, posted together on one queue pair, is complete.
std::int64_t time_of(int count, const Parameters& parameters) {
  Star star(kHosts, parameters);
  const std::uint32_t pair = star.connect_reader(0, 1);
  for (int i = 0; i < count; ++i) star.send(pair, Bytes(kPayload));
  star.run();
  EXPECT_EQ(star.engine().counters().delivered_bytes,
            static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(kPayload));
  return star.done(static_cast<std::uint32_t>(count) - 1);
}

// 2 bytes with 82 of headers. Nothing comes back for a response.
TEST(Reads, ASmallOneTakesTwoWaysAndTheResponder) {
  Star star(kHosts, reading());
  star.send(star.connect_reader(0, 1), 2_B);
  star.run();
  EXPECT_EQ(star.done(0), 2 * (r + L) + P + 2 * (84 * 20 + L));
  EXPECT_EQ(star.engine().counters().control_hops, 0U);
  EXPECT_EQ(star.engine().counters().data_hops, 4U);
}

TEST(Reads, TheDoorbellIsTheRequestersAlone) {
  auto parameters = reading();
  parameters.nic.message_latency = 1_us;
  EXPECT_EQ(time_of(1, parameters), 1'000'000 + R);
}

// The response of 100 packets follows the first one on the wire.
TEST(Reads, ALongOneRunsAtTheRateOfTheLink) {
  Star star(kHosts, reading());
  star.send(star.connect_reader(0, 1), Bytes(100 * kPayload));
  star.run();
  EXPECT_EQ(star.done(0), R + 99 * t);
}

// 16 t are less than R, so 16 reads are complete in each R: 16 S / R bytes per time. Response k of
// a round is k t behind the first one, and so is its successor in the next round.
TEST(Reads, ManySmallOnesAreLimitedByThoseOutstanding) {
  ASSERT_LT(16 * t, R);
  EXPECT_EQ(time_of(64, reading()), 4 * R + 15 * t);
  EXPECT_EQ(time_of(64, reading(1)), 64 * R);
}

// 64 t are more than R: the link is never without a packet.
TEST(Reads, ManySmallOnesAreLimitedByTheLink) {
  ASSERT_GT(64 * t, R);
  EXPECT_EQ(time_of(200, reading(64)), R + 199 * t);
}

// Each queue pair has its own 16.
TEST(Reads, QueuePairsHaveTheirOwnLimit) {
  Star star(kHosts, reading(1));
  const std::uint32_t pairs[] = {star.connect_reader(0, 1), star.connect_reader(0, 1)};
  for (int i = 0; i < 10; ++i)
    for (const std::uint32_t pair : pairs) star.send(pair, Bytes(kPayload));
  star.run();
  // The second request is r behind the first one, its response t.
  EXPECT_EQ(std::max(star.done(18), star.done(19)), 10 * R + t);
}

// Two responders send to one reader at the same time (an incast of reads): their packets share the
// link to it.
TEST(Reads, ResponsesOfTwoRespondersShareALink) {
  Star star(kHosts, reading());
  star.send(star.connect_reader(0, 1), Bytes(50 * kPayload));
  star.send(star.connect_reader(0, 2), Bytes(50 * kPayload));
  star.run();
  // The second request follows the first one by r.
  EXPECT_EQ(std::max(star.done(0), star.done(1)), R + 99 * t);
}

// From 400 to 100 Gb/s (4 t a packet) with room for one packet beside that on the wire: of five
// packets 0 and 1 pass, 2 and 3 are lost, and 4 shows the gap. The requester asks for packet 2 and
// those behind it (r on the fast link, 4 r on its own). Packet 4 is lost once more, at the end. The
// requester asks for it 100 us after packet 3 arrived. See PacketEngine.GoBackNSendsLostPackets*.
TEST(Reads, LostPacketsOfAResponseAreAskedForAgain) {
  auto parameters = reading();
  parameters.switches.lossless = false;
  parameters.switches.alpha = 1000;
  parameters.switches.buffer = Bytes(Star::kPacket + 100);
  parameters.nic.ack_interval = 1;
  Star star({100_Gbps, 400_Gbps}, parameters);
  star.send(star.connect_reader(0, 1), Bytes(5 * kPayload));
  star.run();
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 3U);
  EXPECT_EQ(counted.timeouts, 1U);
  const std::int64_t a = t + L, ask = 4 * r + L + r + L + P;
  const std::int64_t asked = ask + a + 3 * 4 * t + L + ask;
  const std::int64_t last_packet = asked + a + 2 * 4 * t + L;
  EXPECT_EQ(star.done(0), last_packet + 100'000'000 + ask + a + 4 * t + L);
}

/// Reads of a packet each, at 0 and at 10 us, while the link to the responder fails for some time.
void read_twice(Star& star, Time works_from) {
  star.engine().change_link(Star::down(1), Time::picoseconds(1), Bandwidth());
  star.engine().change_link(Star::down(1), works_from, 400_Gbps);
  const std::uint32_t pair = star.connect_reader(0, 1);
  star.send(pair, Bytes(kPayload));
  star.send(pair, Bytes(kPayload), 10_us);
  star.run();
}

// The requester's time-out sends both requests again.
TEST(Reads, LostRequestsAreSentAgainAfterATimeOut) {
  Star star(kHosts, reading());
  read_twice(star, 50_us);
  EXPECT_EQ(star.done(0), 100'000'000 + R);
  EXPECT_EQ(star.done(1), 100'000'000 + R + t);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 2U);
  EXPECT_EQ(counted.retransmitted, 2U);
  EXPECT_EQ(counted.timeouts, 1U);
}

// The second request shows that the first one is lost: the responder says so, in 84 bytes.
TEST(Reads, ARequestThatFollowsShowsTheLostOne) {
  Star star(kHosts, reading());
  read_twice(star, 5_us);
  const std::int64_t again = 10'000'000 + 2 * (r + L) + 2 * (84 * 20 + L);
  EXPECT_EQ(star.done(0), again + R);
  EXPECT_EQ(star.done(1), again + R + t);
  EXPECT_EQ(star.engine().counters().lost, 1U);
  EXPECT_EQ(star.engine().counters().timeouts, 0U);
}

// The second of three requests is lost while the first one is being answered: the responder asks
// for it and the third one alone, so nothing of the first response is sent again. Its news of 84
// bytes goes between the packets of that response.
TEST(Reads, ALostRequestDoesNotRepeatOthers) {
  Star star(kHosts, reading());
  star.engine().change_link(Star::down(1), 3_us, Bandwidth());
  star.engine().change_link(Star::down(1), 4_us, 400_Gbps);
  const std::uint32_t pair = star.connect_reader(0, 1);
  star.send(pair, Bytes(200 * kPayload));
  star.send(pair, Bytes(kPayload), 2_us + Time::nanoseconds(500));
  star.send(pair, Bytes(kPayload), 4_us);
  star.run();
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 1U);
  EXPECT_EQ(counted.retransmitted, 2U);
  EXPECT_EQ(star.done(2), R + 201 * t + 84 * 20);
}

/// h: an acknowledgement of 84 bytes.
constexpr std::int64_t h = 84 * 20;

Parameters selective() {
  auto parameters = reading();
  parameters.nic.recovery = Recovery::selective;
  return parameters;
}

// The responder acknowledges the request while it fetches the bytes, and the requester the
// response.
TEST(SelectiveReads, RequestsAndResponsesAreAcknowledged) {
  Star star(kHosts, selective());
  star.send(star.connect_reader(0, 1), 2_B);
  star.run();
  EXPECT_EQ(star.done(0), 2 * (r + L) + P + 2 * (84 * 20 + L));
  EXPECT_EQ(star.engine().counters().control_hops, 4U);
  EXPECT_EQ(star.engine().counters().data_hops, 4U);
}

// As with go-back-N, but from the second round on requests come t apart, and the acknowledgements
// of 9 to 15 pass between responses, which have begun P after request 0. They delay the last one by
// 7 h. In the next rounds they find the gaps of those before.
TEST(SelectiveReads, ManySmallOnesAreLimitedByThoseOutstanding) {
  ASSERT_EQ(P / t, 8);
  EXPECT_EQ(time_of(64, selective()), 4 * R + 15 * t + 7 * h);
}

// The link to the responder works again at 50 us. Each request has a time-out of its own, of one
// expiry: the second one was on its way when the first one expired.
TEST(SelectiveReads, LostRequestsAreSentAgainAfterTheirTimeOut) {
  Star star(kHosts, selective());
  read_twice(star, 50_us);
  EXPECT_EQ(star.done(0), 100'000'000 + R);
  EXPECT_EQ(star.done(1), 110'000'000 + R);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 2U);
  EXPECT_EQ(counted.retransmitted, 2U);
  EXPECT_EQ(counted.timeouts, 1U);
}

// The acknowledgement of the second request shows the gap. The responder keeps that request and
// answers it behind the first one.
TEST(SelectiveReads, ALostRequestAloneIsSentAgain) {
  Star star(kHosts, selective());
  read_twice(star, 5_us);
  const std::int64_t again = 10'000'000 + 2 * (r + L) + 2 * (h + L);
  EXPECT_EQ(star.done(0), again + R);
  EXPECT_EQ(star.done(1), again + R + t);
  const Counters& counted = star.engine().counters();
  EXPECT_EQ(counted.lost, 1U);
  EXPECT_EQ(counted.retransmitted, 1U);
  EXPECT_EQ(counted.timeouts, 0U);
}

class ReadsOfRanks : public ::testing::Test {
 protected:
  collectives::Run run(bool reads) {
    PacketOptions options;
    options.fast_forward = false;
    options.parameters = reading();
    options.message_reads = {reads};
    const collectives::Schedule schedule = collectives::schedule_of(
        cluster_, {.source = 1, .destination = 0, .bytes = 1_MiB, .start = {}});
    const collectives::Task task{.schedule = &schedule, .start = {}, .name = {}};
    return PacketNetwork(cluster_, options).run({&task, 1});
  }
  topology::Cluster cluster_ = sim::testing::cluster(
      4, 1, sim::testing::roce(sim::testing::fabric(topology::FabricKind::single_switch)));
};

// A read carries the same bytes in the same direction as a write, later by the way of the request
// and the time of the responder.
TEST_F(ReadsOfRanks, AReadIsLaterThanAWriteByItsRequest) {
  const collectives::Run write = run(false), read = run(true);
  const Time request = 2 * (Time::picoseconds(r) + 1_us);
  EXPECT_EQ(read.tasks[0].finish - write.tasks[0].finish, request + Time::picoseconds(P));
  EXPECT_EQ(read.packets->data_hops, write.packets->data_hops + 2);
}

}  // namespace
}  // namespace railyard::sim::packet
