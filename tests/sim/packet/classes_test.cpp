#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/traffic/traffic.hpp"
#include "core/diagnostic.hpp"
#include "sim/packet/packet_network.hpp"
#include "sim/packet/parameter_check.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/packet/star.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::Star;

constexpr std::int64_t kTime = Star::kTime, kLatency = Star::kLatency, kPayload = Star::kPayload;

Parameters with(std::vector<TrafficClass> classes) {
  auto parameters = Star::store_and_forward();
  parameters.switches.classes = std::move(classes);
  return parameters;
}
const std::vector<TrafficClass> kStrict{{}, {}};

// Two senders fill the queue of host 3 with packets of class 1, one of two stays. A packet of class
// 0 reaches the switch in the middle of the time of one of them: it starts when that one has gone.
// In a single class it would wait for about 100 packets.
TEST(TrafficClasses, AHigherClassSeesNoQueueOfALowerOne) {
  Star star(std::vector<Bandwidth>(4, 400_Gbps), with(kStrict));
  star.send(star.connect(0, 3, 1), Bytes(400 * kPayload));
  star.send(star.connect(1, 3, 1), Bytes(400 * kPayload));
  const std::int64_t posted = 100 * kTime - kTime / 2;
  star.send(star.connect(2, 3, 0), Bytes(kPayload), Time::picoseconds(posted));
  star.run();
  EXPECT_EQ(star.done(2), posted + kTime + kLatency + kTime / 2 + kTime + kLatency);
  // The wire is busy from the first packet on, and carries one packet more.
  EXPECT_EQ(std::max(star.done(0), star.done(1)), kTime + kLatency + 801 * kTime + kLatency);
}

// The same at a NIC, whose queue pairs of class 1 wait for those of class 0 at the packet boundary.
TEST(TrafficClasses, ANicSendsTheHigherClassFirst) {
  Star star(std::vector<Bandwidth>(3, 400_Gbps), with(kStrict));
  star.send(star.connect(0, 1, 1), Bytes(100 * kPayload));
  const std::int64_t posted = 10 * kTime - kTime / 2;
  star.send(star.connect(0, 2, 0), Bytes(5 * kPayload), Time::picoseconds(posted));
  star.run();
  const std::int64_t rest = kLatency + kTime + kLatency;
  EXPECT_EQ(star.done(1), 10 * kTime + 5 * kTime + rest);
  EXPECT_EQ(star.done(0), 105 * kTime + rest);
}

// Both classes always have packets at the output, which sends 0 1 0 0 (PortScheduler): the last of
// the 300 packets of class 0 is the 400th packet, then class 1 has the wire for itself.
TEST(TrafficClasses, WeightsOfThreeToOneShareALinkThreeToOne) {
  Star star(std::vector<Bandwidth>(3, 400_Gbps),
            with({{.scheduling = Scheduling::weighted, .weight = 3},
                  {.scheduling = Scheduling::weighted}}));
  star.send(star.connect(0, 2, 0), Bytes(300 * kPayload));
  star.send(star.connect(1, 2, 1), Bytes(300 * kPayload));
  star.run();
  EXPECT_EQ(star.done(0), kTime + kLatency + 400 * kTime + kLatency);
  EXPECT_EQ(star.done(1), kTime + kLatency + 600 * kTime + kLatency);
  EXPECT_EQ(star.engine().counters().pauses, 0U);
}

/// Host 0 sends to host 3, which receives at 1 Gb/s, and is paused for it. From 1 ms on it sends 50
/// packets to host 2 as well. Returns when the last of them arrives.
std::int64_t beside_a_paused_flow(Star& star, std::uint32_t paused_class) {
  star.send(star.connect(0, 3, paused_class), Bytes(400 * kPayload));
  star.send(star.connect(0, 2, 0), Bytes(50 * kPayload), 1_ms);
  star.run();
  return star.done(1);
}

// A pause stops its class only. A packet of class 1 may be on the wire when class 0 begins. In a
// single class the 50 packets wait for pauses that end when packets for host 3 have left: one in
// 33.4 us.
TEST(TrafficClasses, APauseOfOneClassDoesNotStopTheOther) {
  const std::vector<Bandwidth> rates(4, 400_Gbps);
  const Star::Sizes slow{.last_receives = 1_Gbps};
  auto parameters = with(kStrict);
  parameters.switches.buffer = 8_MB;
  Star apart(rates, parameters, 1, slow);
  const std::int64_t alone = 1'000'000'000 + 50 * kTime + kLatency + kTime + kLatency;
  const std::int64_t end = beside_a_paused_flow(apart, 1);
  EXPECT_GE(end, alone);
  EXPECT_LE(end, alone + kTime);
  EXPECT_EQ(apart.engine().pauses(Star::up(0), 0).count, 0U);
  EXPECT_GT(apart.engine().pauses(Star::up(0), 1).count, 0U);
  EXPECT_EQ(apart.engine().counters().lost, 0U);

  parameters.switches.classes.clear();
  Star together(rates, parameters, 1, slow);
  EXPECT_GT(beside_a_paused_flow(together, 0), alone + 10 * 33'424'000);
}

// Each class of an input has headroom of its own (Headroom.*): with it no packet is lost while both
// classes are paused.
TEST(TrafficClasses, EachClassHasItsHeadroom) {
  auto parameters =
      with({{.scheduling = Scheduling::weighted}, {.scheduling = Scheduling::weighted}});
  parameters.switches.buffer = 2'500'000_B;
  Star star(std::vector<Bandwidth>(4, 400_Gbps), parameters, 1, {.last_receives = 10_Gbps});
  for (const std::uint32_t one : {0U, 1U})
    for (const std::uint32_t host : {0U, 1U})
      star.send(star.connect(host, 3, one), Bytes(300 * kPayload));
  star.run();
  for (const std::uint32_t one : {0U, 1U})
    for (const std::uint32_t host : {0U, 1U})
      EXPECT_GT(star.engine().pauses(Star::up(host), one).count, 0U);
  EXPECT_EQ(star.engine().counters().lost, 0U);
}

/// 20 packets of class 0 from host 0 to 1, one in flight; 128 queue pairs of hosts 2 and 3 with one
/// packet in flight each fill the queue of host 0, by which their acknowledgements come.
std::int64_t with_a_full_way_back(const std::vector<TrafficClass>& classes, bool is_full) {
  auto parameters = with(classes);
  parameters.nic.ack_interval = 1;
  parameters.nic.window = Bytes(1);
  Star star(std::vector<Bandwidth>(4, 400_Gbps), parameters);
  star.send(star.connect(0, 1, 0), Bytes(20 * kPayload));
  const std::uint32_t other = classes.empty() ? 0 : 1;
  for (int i = 0; is_full && i < 64; ++i)
    for (const std::uint32_t host : {2U, 3U})
      star.send(star.connect(host, 0, other), Bytes(40 * kPayload));
  star.run();
  return star.done(0);
}

// Acknowledgements that share the queues of data have the class of their data. Each of 20 round
// trips waits for a packet of class 1 on the way back at most, and at both NICs for one of their
// acknowledgements (84 bytes, 1,680 ps). In a single class each waits for a queue: 128 packets in
// flight, of which 4 us and a packet carry 50.
TEST(TrafficClasses, AcknowledgementsHaveTheClassOfTheirData) {
  const std::int64_t alone = with_a_full_way_back(kStrict, false);
  EXPECT_LE(with_a_full_way_back(kStrict, true), alone + 20 * (kTime + 2 * 1'680));
  EXPECT_GT(with_a_full_way_back({}, true), alone + 20 * 50 * kTime);
}

// Two hosts send 20 packets each to a third. Packet i starts i packet times after the first one and
// leaves i - 1 packets behind it up to i = 20, then 39 - i. Above 5.5 packets are those of 7 to 33,
// above 10.5 those of 12 to 28. No notification is back before the last packet has left its host.
TEST(TrafficClasses, EachClassHasItsMarks) {
  const auto above = [](double packets) {
    const Bytes bytes(static_cast<std::int64_t>(packets * Star::kPacket));
    return EcnParameters{.k_min = bytes, .k_max = bytes, .reference = 400_Gbps};
  };
  auto parameters = with({{.ecn = above(5.5)}, {.ecn = above(10.5)}, {}});
  parameters.congestion = Congestion::dcqcn;
  parameters.switches.ecn = above(1000);
  Star star(std::vector<Bandwidth>(9, 400_Gbps), parameters);
  for (std::uint32_t one = 0; one < 3; ++one)
    for (std::uint32_t host = 2 * one; host < 2 * one + 2; ++host)
      star.send(star.connect(host, 6 + one, one), Bytes(20 * kPayload));
  star.run();
  const auto marks = [&](std::uint32_t one) {
    return star.engine().marks(Star::down(6 + one) + one * star.engine().links().ports());
  };
  EXPECT_EQ(marks(0), 27U);
  EXPECT_EQ(marks(1), 17U);
  EXPECT_EQ(marks(2), 0U);
}

/// A lossless class 0 and a lossy class 1 with alpha 1 in a switch of four ports. Class 0 alone has
/// headroom (112,618 bytes of an input: rate * 2 us = 100,000; 4178 + 84; 2 * 4178), and 21 packets
/// are shared.
Parameters mixed() {
  auto parameters = with({{}, {.lossless = false, .alpha = 1.0}});
  parameters.switches.reserved = Bytes();
  parameters.switches.buffer = Bytes(4 * 112'618 + 21 * Star::kPacket);
  parameters.nic.retransmit_timeout = 100_us;
  return parameters;
}

// Class 1: a packet is admitted behind q packets if q + 1 <= 21 - q, so behind 10. Of two senders
// one packet more waits after each packet time; behind 11 the packet of the second host is lost.
// Pair k finds k - 1 packets and leaves k + 1: pairs 11 to 19 lose one. They are the last ones of
// host 1. None of its packets is acknowledged (one in 256), so it sends all again after its
// time-out. The other 31 packets occupy the wire without a gap, and the last one is of host 0.
TEST(TrafficClasses, ALossyClassBesideALosslessOneLosesAboveItsThreshold) {
  Star star(std::vector<Bandwidth>(4, 400_Gbps), mixed());
  for (const std::uint32_t host : {0U, 1U})
    star.send(star.connect(host, 3, 1), Bytes(20 * kPayload));
  star.run();
  EXPECT_EQ(star.engine().counters().lost, 9U);
  EXPECT_EQ(star.engine().counters().retransmitted, 20U);
  EXPECT_EQ(star.engine().counters().timeouts, 1U);
  EXPECT_EQ(star.engine().counters().pauses, 0U);
  EXPECT_EQ(star.done(0), kTime + kLatency + 31 * kTime + kLatency);
}

// The same two incasts one after the other: class 0 pauses and loses nothing. At the same time:
// class 1 loses more, as both share the buffer, and class 0 nothing.
TEST(TrafficClasses, ALosslessClassBesideALossyOneLosesNothing) {
  const auto run = [](bool has_lossy) {
    Star star(std::vector<Bandwidth>(4, 400_Gbps), mixed());
    for (const std::uint32_t host : {0U, 1U}) {
      star.send(star.connect(host, 3, 0), Bytes(200 * kPayload));
      if (has_lossy) star.send(star.connect(host, 2, 1), Bytes(200 * kPayload));
    }
    star.run();
    EXPECT_GT(star.engine().pauses(Star::up(0), 0).count, 0U);
    EXPECT_EQ(star.engine().pauses(Star::up(0), 1).count, 0U);
    EXPECT_EQ(star.deliveries(), has_lossy ? 4U : 2U);
    return star.engine().counters();
  };
  const Counters alone = run(false), beside = run(true);
  EXPECT_EQ(alone.lost, 0U);
  // Packets of class 0 are never sent again.
  EXPECT_EQ(alone.retransmitted, 0U);
  EXPECT_EQ(beside.data_sent, 800U + beside.retransmitted);
}

TEST(TrafficClasses, TrimmingNeedsLossyClassesOnly) {
  Parameters parameters;
  parameters.transport = Transport::uec;
  parameters.congestion = Congestion::none;
  parameters.nic.recovery = Recovery::selective;
  parameters.switches.lossless = false;
  parameters.switches.trim = true;
  parameters.switches.control = ControlQueue::strict;
  parameters.switches.classes = {{}, {}};
  EXPECT_NO_THROW(check(parameters));
  parameters.switches.classes[1].lossless = true;
  EXPECT_THROW(check(parameters), InputError);
}

TEST(TrafficClasses, TooManyOrUnknownClassesAreRefused) {
  Parameters parameters;
  parameters.switches.classes.resize(8);
  EXPECT_NO_THROW(check(parameters));
  parameters.switches.control = ControlQueue::strict;
  EXPECT_THROW(check(parameters), InputError);
  parameters.switches.classes.resize(2);
  parameters.nic.collective_class = 2;
  EXPECT_THROW(check(parameters), InputError);
}

class ClassesOfTasks : public ::testing::Test {
 protected:
  // Ranks 1 to 8 send 1 MiB to rank 0 as a collective; rank 9 sends 4 KiB to it as a message.
  ClassesOfTasks() {
    options_.parameters.congestion = Congestion::none;
    options_.parameters.switches.classes = kStrict;
    options_.records = std::make_shared<PacketRecords>();
    options_.records->wants_transfers = true;
    sim::testing::Pairs pairs;
    for (std::uint32_t i = 1; i <= 8; ++i) pairs.emplace_back(i, 0);
    schedules_.push_back(sim::testing::sends(cluster_, 1_MiB, pairs));
    schedules_.push_back(collectives::schedule_of(
        cluster_, {.source = 9, .destination = 0, .bytes = 4_KiB, .start = {}}));
  }
  /// The slowdown of the message, which begins in the middle of the incast.
  double slowdown() {
    const std::vector<collectives::Task> tasks{
        {.schedule = &schedules_[0], .start = Time(), .name = {}},
        {.schedule = &schedules_[1], .start = 80_us, .name = {}}};
    std::ignore = PacketNetwork(cluster_, options_).run(tasks);
    for (const TransferRecord& transfer : options_.records->transfers)
      if (transfer.task == 1) return transfer.slowdown;
    return 0;
  }

  topology::Cluster cluster_ = sim::testing::cluster(
      10, 1, sim::testing::roce(sim::testing::fabric(topology::FabricKind::single_switch)));
  std::vector<collectives::Schedule> schedules_;
  PacketOptions options_;
};

TEST_F(ClassesOfTasks, AMessageOfAHigherClassPassesACollective) {
  options_.parameters.nic.collective_class = 1;
  EXPECT_LT(slowdown(), 1.1);
  EXPECT_EQ(options_.records->transfers.front().traffic_class, 0U);
  EXPECT_EQ(options_.records->transfers.back().traffic_class, 1U);
}

TEST_F(ClassesOfTasks, AMessageOfALowerClassWaitsForTheCollective) {
  options_.message_classes = {1};
  EXPECT_GT(slowdown(), 10);
  EXPECT_EQ(options_.records->transfers.back().traffic_class, 1U);  // the last to end
}

TEST_F(ClassesOfTasks, AClassThatIsNotListedIsRefused) {
  options_.message_classes = {2};
  EXPECT_THROW(PacketNetwork(cluster_, options_), InputError);
}

}  // namespace
}  // namespace railyard::sim::packet
