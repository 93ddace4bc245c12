#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/traffic/traffic.hpp"
#include "core/diagnostic.hpp"
#include "sim/packet/faults/fault_times.hpp"
#include "sim/packet/packet_network.hpp"
#include "tests/sim/packet/dual_ports.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/packet/star.hpp"
#include "tests/sim/packet/two_spines.hpp"
#include "tests/sim/sim_cluster.hpp"
#include "tests/sim/two_nics.hpp"

namespace railyard::sim::packet {
namespace {

using namespace railyard::literals;
using testing::DualPorts;
using testing::Star;
using testing::TwoSpines;

/// t: a packet, L: a latency. The link from the leaf of host 0 to spine 0 carries packet n from
/// (n + 1) t + L on. The fault comes in the middle of packet 19.
constexpr std::int64_t t = Star::kTime, L = Star::kLatency;
constexpr std::uint32_t kLink = 12;
constexpr std::int64_t kFault = 20 * t + L + t / 2;

Parameters parameters() {
  auto made = Star::store_and_forward();
  made.nic.retransmit_timeout = 100_us;
  return made;
}

/// Packets 0 to 19 are on the wire and arrive; the 80 behind them are lost. Nobody acknowledges, so
/// the timer sends all again 100 us after the first one.
void expect_all_sent_again(TwoSpines& spines) {
  EXPECT_EQ(spines.run(), 100'000'000 + 103 * t + 4 * L);
  EXPECT_EQ(spines.engine().counters().lost, 80U);
  EXPECT_EQ(spines.engine().counters().timeouts, 1U);
}

// By then routing takes the other spine.
TEST(LinkFaults, AFailedLinkLosesWhatComesUntilRoutingAvoidsIt) {
  TwoSpines spines(parameters());
  const std::uint32_t pair = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), Bandwidth());
  spines.engine().reroute({.pair = pair,
                           .first_route = spines.route(0, 4, 1),
                           .back = spines.route(4, 0, 1),
                           .at = Time::picoseconds(kFault) + 50_us});
  expect_all_sent_again(spines);
}

// Packet 20 is at the leaf at 21t + L; it and the 79 behind it take 4t each there.
TEST(LinkFaults, ADegradedLinkIsSlowerFromThenOn) {
  TwoSpines spines(parameters());
  std::ignore = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), 100_Gbps);
  EXPECT_EQ(spines.run(), 21 * t + L + 80 * 4 * t + L + 2 * (t + L));
  EXPECT_EQ(spines.engine().counters().lost, 0U);
}

/// After the messages so far 4,000 packets follow at 1 ms, over so many links. Returns which part
/// of a rate they have, without the way of the last one.
double share_of(TwoSpines& spines, std::uint32_t pair, Bandwidth rate, std::int64_t links = 4) {
  const std::int64_t begins = 1'000'000'000;
  spines.engine().post(pair, Time::picoseconds(begins), Bytes(4000 * Star::kPayload), 0);
  const std::int64_t time = spines.run() - begins - (links - 1) * (t + L) - L;
  return 4000.0 * Star::kPacket * 8 / (static_cast<double>(time) * 1e-12) /
         static_cast<double>(rate.bits_per_second());
}

Parameters hpcc() {
  auto made = parameters();
  made.congestion = Congestion::hpcc;
  return made;
}

// HPCC fills eta + (1 - eta) / flows = 0.9505 of a link, W = 0.9505 C T. Its records are those of a
// path, and the first ones of another path have no predecessors.
TEST(LinkFaults, HpccForgetsTheRecordsOfAnotherPath) {
  TwoSpines spines(hpcc());
  const std::uint32_t pair = spines.send({.from = 0, .to = 4}, Bytes(1000 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), Bandwidth());
  spines.engine().reroute({.pair = pair,
                           .first_route = spines.route(0, 4, 1),
                           .back = spines.route(4, 0, 1),
                           .at = Time::picoseconds(kFault) + 50_us});
  EXPECT_NEAR(share_of(spines, pair, 400_Gbps), 0.9505, 0.002);
  EXPECT_GT(spines.engine().counters().lost, 0U);
}

/// Between hosts 0 and 1 through their leaf, or by spine 0 and back: one port writes records, or
/// three, and the round trip is longer. The path changes while 8,000 packets are sent.
double share_on_another_path(const Parameters& parameters, bool grows) {
  TwoSpines spines(parameters);
  Engine& engine = spines.engine();
  const auto route = [&](std::uint32_t from, std::uint32_t to, bool is_long) {
    std::vector<std::uint32_t> links{2 * from, 2 * to + 1};
    if (is_long) links.insert(links.begin() + 1, {kLink, kLink + 1});
    return engine.add_route({.links = std::move(links), .before = {}, .behind = {}});
  };
  const std::uint32_t pair = engine.add_pair(route(0, 1, !grows), 1, route(1, 0, !grows));
  engine.post(pair, Time(), Bytes(8000 * Star::kPayload), 0);
  engine.reroute({.pair = pair,
                  .first_route = route(0, 1, grows),
                  .back = route(1, 0, grows),
                  .at = Time::picoseconds(kFault)});
  return share_of(spines, pair, 400_Gbps, grows ? 4 : 2);
}

/// Acknowledgements of 84 bytes go by spine 0 as the data do.
constexpr double kBesideAcknowledgements = 4178.0 / (4178 + 84);

TEST(LinkFaults, HpccTakesTheRecordsAndTheRoundTripOfAnotherPath) {
  EXPECT_NEAR(share_on_another_path(hpcc(), true), 0.9505 * kBesideAcknowledgements, 0.002);
  EXPECT_NEAR(share_on_another_path(hpcc(), false), 0.9505, 0.002);
}

// With the target of the shorter path, each delay of the longer one would be above it.
TEST(LinkFaults, SwiftTakesTheTargetOfAnotherPath) {
  auto swift = parameters();
  swift.congestion = Congestion::swift;
  EXPECT_NEAR(share_on_another_path(swift, true), kBesideAcknowledgements, 0.01);
  EXPECT_NEAR(share_on_another_path(swift, false), 1, 0.01);
}

// The switch writes the rate that its port has now. W_AI is that of the NIC's 400 Gb/s, so of a
// port of 100 Gb/s HPCC fills eta + 4 (1 - eta) / flows = 0.952.
TEST(LinkFaults, HpccFillsADegradedLinkToItsTarget) {
  TwoSpines spines(hpcc());
  const std::uint32_t pair = spines.send({.from = 0, .to = 4}, Bytes(1000 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), 100_Gbps);
  EXPECT_NEAR(share_of(spines, pair, 100_Gbps), 0.952, 0.002);
}

// The link returns 60 us after the fault: all is sent again over the same spine, no route changes.
TEST(LinkFaults, ALinkThatReturnsCarriesWhatIsSentAgain) {
  TwoSpines spines(parameters());
  std::ignore = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), Bandwidth());
  spines.engine().change_link(kLink, Time::picoseconds(kFault) + 60_us, 400_Gbps);
  expect_all_sent_again(spines);
}

// With selective repeat each packet has a time-out of its own, 100 us after it was sent. They
// belong to one expiry, because all packets were on their way when the first one came. Packet 0
// alone is acknowledged before. Packet k, from 1 to 99, leaves again at 100 us + k t: the
// acknowledgement of packet 1 is back after 4 (t + L) and 4 (h + L), when the last one has left.
TEST(LinkFaults, SelectiveRepeatHasOneTimeOutForAllPacketsOnTheirWay) {
  auto selective = parameters();
  selective.nic.recovery = Recovery::selective;
  TwoSpines spines(selective);
  std::ignore = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), Bandwidth());
  spines.engine().change_link(kLink, Time::picoseconds(kFault) + 60_us, 400_Gbps);
  expect_all_sent_again(spines);
  EXPECT_EQ(spines.engine().counters().retransmitted, 99U);
}

// The same with a first time-out of 50 us, which doubles after that: all packets wait for the
// first.
TEST(LinkFaults, PacketsOfOneExpiryHaveTheSameTimeOut) {
  auto selective = parameters();
  selective.nic.recovery = Recovery::selective;
  selective.nic.first_timeout = 50_us;
  TwoSpines spines(selective);
  std::ignore = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(kFault), Bandwidth());
  spines.engine().change_link(kLink, Time::picoseconds(kFault) + 20_us, 400_Gbps);
  EXPECT_EQ(spines.run(), 50'000'000 + 103 * t + 4 * L);
  EXPECT_EQ(spines.engine().counters().timeouts, 1U);
}

/// Time-outs come each 20.5 us. The eighth one fails a queue pair.
Parameters impatient(Recovery recovery) {
  auto made = parameters();
  made.nic.recovery = recovery;
  made.nic.retransmit_timeout = Time::nanoseconds(20'500);
  return made;
}

/// 3,000 packets, 250 us on the wire, of which the first leaf loses all.
void send_in_vain(TwoSpines& spines) {
  std::ignore = spines.send({.from = 0, .to = 4}, Bytes(3000 * Star::kPayload));
  spines.engine().change_link(kLink, Time::picoseconds(1), Bandwidth());
  EXPECT_THROW(std::ignore = spines.run(), InputError);
}

// Events: each packet arrives at the leaf, one message is posted, one link fails, and the timer
// ends 15 times. At seven of the eight time-outs the wire is busy, so the next one starts a little
// later, when the first packet leaves: the timer ends, and again after the rest.
TEST(LinkFaults, AQueuePairHasOneTimer) {
  TwoSpines spines(impatient(Recovery::go_back_n));
  send_in_vain(spines);
  const Counters& counted = spines.engine().counters();
  EXPECT_EQ(counted.timeouts, 7U);
  EXPECT_EQ(counted.events, counted.data_hops + 1 + 1 + 15);
}

// t: 83,560 ps of a packet. The first packet of each try starts when the one before has ended; a
// time-out at which the wire is busy waits for its end, at most one t. Try k begins k time-outs
// after the first packet, each up to one t later; the eighth time-out fails the queue pair, and the
// run ends within a window (1 us).
TEST(LinkFaults, AFailedQueuePairEndsTheRunThen) {
  for (const Recovery recovery : {Recovery::go_back_n, Recovery::selective}) {
    TwoSpines spines(impatient(recovery));
    std::ignore = spines.send({.from = 0, .to = 4}, Bytes(3000 * Star::kPayload));
    std::ignore = spines.send({.from = 4, .to = 5}, Bytes(8000 * Star::kPayload));  // 670 us
    spines.engine().name_messages([](std::uint32_t tag) { return fmt::format("letter {}", tag); });
    spines.engine().change_link(kLink, Time::picoseconds(1), Bandwidth());
    try {
      std::ignore = spines.run();
      FAIL() << "no packet of the first message arrives";
    } catch (const InputError& error) {
      const std::string text = core::to_text(error.diagnostics()[0]);
      EXPECT_THAT(text, ::testing::HasSubstr("letter 0 failed at 164."));
      EXPECT_THAT(text, ::testing::HasSubstr("no progress since 0.0 us in spite of 7 retries"));
      EXPECT_THAT(text, ::testing::HasSubstr("let the failed link return earlier"));
    }
    EXPECT_GE(spines.engine().now(), 8 * Time::nanoseconds(20'500));
    EXPECT_LE(spines.engine().now(),
              8 * Time::nanoseconds(20'500) + 8 * Time::picoseconds(t) + 1_us);
  }
}

// 246 packets begin in the first 20.5 us. Each of them is repeated after each time-out but the
// last.
TEST(LinkFaults, SelectiveRepeatCountsTimeOutsAsGoBackNDoes) {
  TwoSpines spines(impatient(Recovery::selective));
  send_in_vain(spines);
  EXPECT_EQ(spines.engine().counters().timeouts, 7U);
  EXPECT_GE(spines.engine().counters().retransmitted, 7U * 246);
}

// The port of host 0 fails in the middle of packet 19 and returns 60 us later. What was on the wire
// arrives; the NIC keeps the other 80, which leave one after the other from then on.
TEST(LinkFaults, ANicWhosePortReturnsSendsWhatItKept) {
  TwoSpines spines(parameters());
  std::ignore = spines.send({.from = 0, .to = 4}, Bytes(100 * Star::kPayload));
  const std::int64_t fault = 19 * t + t / 2;
  spines.engine().change_link(0, Time::picoseconds(fault), Bandwidth());
  spines.engine().change_link(0, Time::picoseconds(fault) + 60_us, 400_Gbps);
  EXPECT_EQ(spines.run(), fault + 60'000'000 + 80 * t + 3 * t + 4 * L);
  EXPECT_EQ(spines.engine().counters().lost, 0U);
  EXPECT_EQ(spines.engine().counters().timeouts, 0U);
}

// The port of host 0 fails in the middle of packet 19, which still arrives. Nothing was
// acknowledged, so all 100 packets leave by the other port 50 us later, 20 of them again.
TEST(LinkFaults, QueuePairsOfAFailedPortGoOnWithAnotherOne) {
  DualPorts ports(parameters());
  const std::int64_t fault = 19 * t + t / 2;
  ports.fail(0, fault);
  EXPECT_EQ(ports.run(), fault + 50'000'000 + 101 * t + 2 * L);
  EXPECT_EQ(ports.engine().counters().retransmitted, 20U);
  EXPECT_EQ(ports.engine().counters().lost, 0U);
  EXPECT_EQ(ports.engine().counters().timeouts, 0U);
}

// The port of host 1 fails in the middle of packet 19 on the link from the switch. The 80 behind it
// are lost, and all are sent again 50 us later, before the timer of 100 us would do it.
TEST(LinkFaults, AReceiverWhosePortFailedReceivesByAnotherOne) {
  DualPorts ports(parameters());
  const std::int64_t fault = 20 * t + L + t / 2;
  ports.fail(4, fault);
  EXPECT_EQ(ports.run(), fault + 50'000'000 + 101 * t + 2 * L);
  EXPECT_EQ(ports.engine().counters().lost, 80U);
  EXPECT_EQ(ports.engine().counters().retransmitted, 100U);
  EXPECT_EQ(ports.engine().counters().timeouts, 0U);
}

// With selective repeat each packet that arrives is reported. Packet n arrives at (n + 2) t + 2 L,
// and the port that its report leaves by fails at 20.5 t + L, where L = 11.97 t: 7 are reported, 93
// are sent again.
TEST(LinkFaults, SelectiveRepeatSendsWhatTheFailedPortLost) {
  auto selective = parameters();
  selective.nic.recovery = Recovery::selective;
  selective.nic.ack_interval = 1;
  DualPorts ports(selective);
  const std::int64_t fault = 20 * t + L + t / 2;
  ports.fail(4, fault);
  EXPECT_EQ(ports.run(), fault + 50'000'000 + 94 * t + 2 * L);
  EXPECT_EQ(ports.engine().counters().lost, 80U);
  EXPECT_EQ(ports.engine().counters().retransmitted, 93U);
}

/// us that 4 MiB take from GPU 0 to GPU 1, which have two NICs of 200 Gb/s each.
double with_two_nics(const std::vector<std::string>& failures, bool reads = false) {
  const topology::Cluster cluster = sim::testing::two_nics(
      sim::testing::roce(sim::testing::fabric(topology::FabricKind::single_switch)));
  PacketOptions options{.convergence = 100_us};
  options.parameters.congestion = Congestion::none;
  for (const std::string& failure : failures)
    options.later_faults.push_back(topology::parse_failure(cluster, failure));
  options.message_reads = {reads};
  const auto send = reads
                        ? collectives::schedule_of(
                              cluster, {.source = 0, .destination = 1, .bytes = 4_MiB, .start = {}})
                        : sim::testing::sends(cluster, 4_MiB, {{0, 1}});
  const collectives::Task task{.schedule = &send, .start = Time(), .name = {}};
  return sim::testing::duration(PacketNetwork(cluster, options).run({&task, 1})).microseconds();
}

// 512 packets of 4178 bytes by each NIC, 40 ps a byte: 85.57 us, and two links of 1 us.
TEST(PortFailover, AGpuWithTwoNicsSendsByBoth) { EXPECT_NEAR(with_two_nics({}), 87.6, 0.5); }

// A NIC starts a packet each 0.167 us, so 240 by 40 us, when it fails; all arrive, but the receiver
// acknowledges every 256. At 140 us the other NIC begins again at packet 0. The receiver answers it
// at once with what it has, and after a round trip of 4.18 us, in which 25 packets start, the
// sender goes on at packet 240: 25 + 272 packets, 49.6 us, and 2 us of latency. Where the port of
// the receiver fails, 234 packets have begun on its link, 1 us later than at the sender.
TEST(PortFailover, TheOtherNicOfAGpuTakesOver) {
  EXPECT_NEAR(with_two_nics({"node0/nic1@40us"}), 140 + 297 * 0.16712 + 2, 0.1);
  EXPECT_NEAR(with_two_nics({"node1/nic0@40us"}), 140 + 303 * 0.16712 + 2, 0.1);
}

// GPU 1 reads the same. A request needs 2 us, so NIC 1 has sent 228 packets when it fails at 40 us,
// or the NIC of GPU 1 has 222 when it fails. At 140 us GPU 1 asks the other NIC for the rest.
TEST(PortFailover, ReadsGoOnWithTheOtherNic) {
  EXPECT_NEAR(with_two_nics({"node0/nic1@40us"}, true), 140 + 2 + 284 * 0.16712 + 2, 0.1);
  EXPECT_NEAR(with_two_nics({"node1/nic0@40us"}, true), 140 + 2 + 290 * 0.16712 + 2, 0.1);
}

class FaultTimes : public ::testing::Test {
 protected:
  const topology::Cluster cluster =
      sim::testing::cluster(8, 1, sim::testing::roce(sim::testing::leaf_spine(4)));
  const std::vector<LinkId> uplink = topology::find_links(cluster, "pod0/leaf0 -> pod0/spine0");
};

// A degradation to a half from 1 to 5 ms and a failure from 2 to 3 ms of one link.
TEST_F(FaultTimes, TheWorstFaultOfALinkHolds) {
  const LinkId link = uplink.front();
  const Bandwidth whole = cluster.link(link).bandwidth, half = part_of(whole, 0.5);
  const std::vector<topology::TimedFault> later{{1_ms, {{}, {{link, 0.5}}}, 5_ms},
                                                {2_ms, {{link}, {}}, 3_ms}};
  EXPECT_THAT(
      rate_changes(cluster, {}, later),
      ::testing::ElementsAre(RateChange{link, 1_ms, half}, RateChange{link, 2_ms, Bandwidth()},
                             RateChange{link, 3_ms, half}, RateChange{link, 5_ms, whole}));
}

// With a convergence of 10 ms: an outage of 20 ms is avoided from 11 to 31 ms, one of 5 ms is not.
TEST_F(FaultTimes, RoutingAvoidsALinkThatIsDownForTheConvergence) {
  const std::vector<topology::TimedFault> longer{{1_ms, {uplink, {}}, 21_ms}};
  const auto changes = routing_changes(cluster, {}, longer, 10_ms);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].at, 11_ms);
  EXPECT_EQ(changes[0].faults.failed, uplink);
  EXPECT_EQ(changes[1].at, 31_ms);
  EXPECT_TRUE(changes[1].faults.failed.empty());
  const std::vector<topology::TimedFault> shorter{{1_ms, {uplink, {}}, 6_ms}};
  EXPECT_TRUE(routing_changes(cluster, {}, shorter, 10_ms).empty());
}

// A port of a NIC that returns keeps its queue pairs; one that stays down is avoided.
TEST_F(FaultTimes, APortOfANicThatReturnsIsNotAvoided) {
  const auto port = topology::find_links(cluster, "node0/nic0");
  EXPECT_TRUE(routing_changes(cluster, {}, {{{1_ms, {port, {}}, 21_ms}}}, 10_ms).empty());
  EXPECT_EQ(routing_changes(cluster, {}, {{{1_ms, {port, {}}}}}, 10_ms).size(), 1U);
}

}  // namespace
}  // namespace railyard::sim::packet
