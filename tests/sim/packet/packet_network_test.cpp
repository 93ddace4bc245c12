#include "sim/packet/packet_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "sim/flow/flow_network.hpp"
#include "sim/packet/engine/engine.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace railyard::literals;
using namespace sim::testing;
using collectives::Collective;
using collectives::Kind;
using packet::PacketOptions;
using topology::FabricKind;
using topology::RoutingPolicy;

PacketOptions without_congestion_control(RoutingPolicy policy = RoutingPolicy::rail) {
  PacketOptions options;
  options.routing.policy = policy;
  options.parameters.congestion = packet::Congestion::none;
  return options;
}

collectives::Run run(const topology::Cluster& cluster, const collectives::Schedule& schedule,
                     const PacketOptions& options = without_congestion_control()) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  return PacketNetwork(cluster, options).run({&task, 1});
}

Time flow_time(const topology::Cluster& cluster, const collectives::Schedule& schedule) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  return duration(FlowNetwork(cluster).run({&task, 1}));
}

// 4096 bytes and 82 of headers: GPU to NIC in passing (a packet occupies those links while it
// leaves), port up and down at 400 Gb/s (83.56 ns each, 1 us of latency), then PCIe at 96 GB/s in
// 42.67 ns. No latency inside nodes.
TEST(PacketNetwork, OnePacketTakesItsTimeOnEveryLink) {
  const auto cluster = testing::cluster(2, 1, roce(fabric(FabricKind::single_switch)));
  const auto schedule = sends(cluster, 4096_B, {{0, 1}});
  auto options = without_congestion_control();
  options.parameters.switches.cut_through = false;
  const auto result = run(cluster, schedule, options);
  const Time pcie = core::serialisation_time(4096_B, 96_GBps);
  EXPECT_EQ(duration(result), 2 * (Time::picoseconds(83'560) + 1_us) + pcie);
  ASSERT_TRUE(result.packets);
  EXPECT_EQ(result.packets->data_hops, 2U);
  EXPECT_EQ(result.packets->transfers, 1U);
}

// The wire bytes of a link: 25 packets of 4096 and headers.
TEST(PacketNetwork, LinksCarryPayloadAndHeaders) {
  const auto cluster = testing::cluster(2, 1, roce(fabric(FabricKind::single_switch)));
  const auto result = run(cluster, sends(cluster, Bytes(25 * 4096), {{0, 1}}));
  EXPECT_EQ(carried(result, link(cluster, "node0/nic0 -> pod0/leaf0")), 25 * (4096 + 82));
  EXPECT_EQ(carried(result, link(cluster, "node0/gpu0 -> node0/pcie0")), 25 * 4096);
}

struct Uncontended {
  const char* algorithm;
  Kind kind;
  int nodes, gpus;
};

class AgainstFlow : public ::testing::TestWithParam<Uncontended> {};

// Nothing shares a link at random: both engines agree within 2 %.
TEST_P(AgainstFlow, UncontendedCollectivesTakeTheSameTime) {
  const auto [algorithm, kind, nodes, gpus] = GetParam();
  const topology::StepOverheads overheads{
      .launch = 8_us, .nvlink = 3_us, .pcie = 5_us, .network = 14_us};
  const auto cluster =
      testing::cluster(nodes, gpus, roce(fabric(FabricKind::single_switch)), overheads);
  const auto schedule =
      testing::schedule(cluster, algorithm, Collective{.kind = kind, .bytes = 32_MiB});
  const Time packets = duration(run(cluster, schedule));
  EXPECT_NEAR(packets.seconds() / flow_time(cluster, schedule).seconds(), 1, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Collectives, AgainstFlow,
                         ::testing::Values(Uncontended{"ring", Kind::all_reduce, 8, 1},
                                           Uncontended{"ring", Kind::all_gather, 8, 1},
                                           Uncontended{"ring", Kind::reduce_scatter, 5, 1},
                                           Uncontended{"ring", Kind::all_reduce, 1, 8},
                                           Uncontended{"neighbour", Kind::send_recv, 4, 1}),
                         [](const auto& one) {
                           return std::string(one.param.algorithm) + "_" +
                                  std::string(collectives::to_text(one.param.kind)) + "_" +
                                  std::to_string(one.param.nodes) + "x" +
                                  std::to_string(one.param.gpus);
                         });

class InSwitches : public ::testing::TestWithParam<const char*> {};

// Eight GPUs on each of four nodes, two nodes per leaf, so that leaves reduce and a spine does.
// The flow engine with every transfer of every step knows the same dependencies.
TEST_P(InSwitches, ReductionsTakeTheTimeOfTheFlowEngine) {
  const topology::StepOverheads overheads{
      .launch = 8_us, .nvlink = 3_us, .pcie = 5_us, .network = 14_us};
  const auto cluster = cluster_of(nvswitch_node(8, true), 4, roce(leaf_spine(2)), overheads);
  const auto schedule =
      testing::schedule(cluster, GetParam(), Collective{.kind = Kind::all_reduce, .bytes = 16_MiB});
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const auto flow = FlowNetwork(cluster, {.expand = true}).run({&task, 1});
  const auto packets = run(cluster, schedule);
  EXPECT_NEAR(duration(packets).seconds() / duration(flow).seconds(), 1, 0.01);
  EXPECT_EQ(packets.packets->lost, 0U);
}

INSTANTIATE_TEST_SUITE_P(Collectives, InSwitches,
                         ::testing::Values("collnet_chain", "collnet_direct"));

// 1 MiB are 256 packets. A NIC sends its data once and receives the result once; a ring of four
// sends 2 * 3/4 of it. Each direction carries some acknowledgements of the other one too. Links of
// the unit are no links of the cluster.
TEST(PacketNetwork, ANicSendsOnceWhereTheSwitchReduces) {
  const auto cluster =
      cluster_of(nvswitch_node(1, true), 4, roce(fabric(FabricKind::single_switch)));
  const auto schedule = testing::schedule(cluster, "collnet_chain",
                                          Collective{.kind = Kind::all_reduce, .bytes = 1_MiB});
  const auto result = run(cluster, schedule);
  constexpr double kData = 256 * (4096 + 82);
  for (const char* port : {"node2/nic0 -> pod0/leaf0", "pod0/leaf0 -> node2/nic0"}) {
    EXPECT_GE(carried(result, link(cluster, port)), kData) << port;
    EXPECT_LT(carried(result, link(cluster, port)), 1.001 * kData) << port;
  }
  for (const auto& load : result.link_loads) EXPECT_LT(load.link.index(), cluster.links().size());
}

// The result is 256 packets, which the switch sends without a break, each in t: 4096 bytes and 82
// of headers (26 with InfiniBand) at 400 Gb/s. A NIC that receives at half the rate takes the first
// one 2 t later and the others each 2 t instead of t: 257 t more. Its buffer of 62 packets, with
// the headroom of its link less, fills after as many more: it pauses the switch, or holds back
// credits. The unit in the switch has no limit.
TEST(PacketNetwork, NicsReceiveAtTheirLimitWhatSwitchesReduce) {
  const auto cluster =
      cluster_of(nvswitch_node(1, true), 4, roce(fabric(FabricKind::single_switch)));
  const auto schedule = testing::schedule(cluster, "collnet_chain",
                                          Collective{.kind = Kind::all_reduce, .bytes = 1_MiB});
  auto options = without_congestion_control();
  for (const packet::Transport transport : {packet::Transport::roce, packet::Transport::ib}) {
    options.parameters.transport = transport;
    options.parameters.nic.ingress_rate.reset();
    if (transport == packet::Transport::ib) options.parameters.switches.credits = 256_KiB;
    const auto without = run(cluster, schedule, options);
    options.parameters.nic.ingress_rate = 200_Gbps;
    const auto limited = run(cluster, schedule, options);
    const double t = (4096 + (transport == packet::Transport::ib ? 26 : 82)) * 20e-6;  // us
    EXPECT_NEAR((duration(limited) - duration(without)).microseconds(), 257 * t, 0.1);
    EXPECT_GT(limited.packets->pauses, without.packets->pauses);
    EXPECT_EQ(limited.packets->lost + limited.packets->nic_lost, 0U);
  }
}

// Two connections whose hashes meet on one of four spine links take twice as long as those that do
// not: the engines route alike.
TEST(PacketNetwork, HashCollisionsAreThoseOfTheFlowEngine) {
  auto spec = roce(leaf_spine(8));
  const auto cluster = testing::cluster(16, 1, spec);
  Pairs pairs;
  for (std::uint32_t i = 0; i < 8; ++i) pairs.emplace_back(i, 8 + i);
  const auto schedule = sends(cluster, 16_MiB, pairs);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    auto options = without_congestion_control(RoutingPolicy::ecmp);
    options.routing.seed = seed;
    const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
    const auto fluid = FlowNetwork(cluster, {.routing = options.routing}).run({&task, 1});
    const auto packets = run(cluster, schedule, options);
    EXPECT_NEAR(duration(packets).seconds() / duration(fluid).seconds(), 1, 0.05) << seed;
    // The binding link, or one that carries as much.
    EXPECT_EQ(carried(packets, packets.tasks[0].bound_by.link),
              carried(packets, fluid.tasks[0].bound_by.link))
        << seed;
  }
}

// Several queue pairs carry equal parts: each by a path of its own.
TEST(PacketNetwork, QueuePairsSplitATransfer) {
  const auto cluster = testing::cluster(16, 1, roce(leaf_spine(8)));
  const auto schedule = sends(cluster, 1_MiB, {{0, 8}});
  auto options = without_congestion_control(RoutingPolicy::ecmp);
  options.routing.qps = 16;
  const auto result = run(cluster, schedule, options);
  EXPECT_EQ(result.packets->transfers, 1U);
  const auto up =
      std::count_if(result.link_loads.begin(), result.link_loads.end(), [&](const auto& load) {
        return cluster.link(load.link).from ==
                   cluster.link(link(cluster, "pod0/leaf0 -> pod0/spine0")).from &&
               cluster.link(load.link).kind == topology::LinkKind::fabric;
      });
  EXPECT_GT(up, 2);
  // Nothing else is there, so the parts take as long as the whole.
  options.routing.qps = 1;
  EXPECT_NEAR(duration(result).seconds(), duration(run(cluster, schedule, options)).seconds(),
              1e-6);
}

// Spray: packets overtake each other and every byte still arrives once.
TEST(PacketNetwork, SprayedPacketsMayOvertake) {
  const auto cluster = testing::cluster(16, 1, roce(leaf_spine(8)));
  Pairs pairs;
  for (std::uint32_t i = 0; i < 8; ++i) pairs.emplace_back(i, 8 + i);
  const auto schedule = sends(cluster, 4_MiB, pairs);
  const auto sprayed = run(cluster, schedule, without_congestion_control(RoutingPolicy::spray));
  const auto hashed = run(cluster, schedule, without_congestion_control(RoutingPolicy::ecmp));
  EXPECT_LT(duration(sprayed), duration(hashed));
  EXPECT_EQ(sprayed.packets->retransmitted, 0U);
}

TEST(PacketNetwork, SprayOverSwitchesThatLoseIsRefused) {
  const auto cluster = testing::cluster(2, 1, fabric(FabricKind::single_switch));
  auto options = without_congestion_control(RoutingPolicy::spray);
  options.parameters.switches.lossless = false;
  EXPECT_THROW(PacketNetwork(cluster, options), InputError);
}

// In-network reduction has no packets that are modelled.
TEST(PacketNetwork, ReductionInTheFabricIsRefused) {
  const auto cluster = testing::cluster(2, 1, roce(fabric(FabricKind::single_switch)));
  collectives::Schedule::Parts parts;
  parts.algorithm = "test";
  parts.collective = {.kind = Kind::broadcast, .bytes = 1_MiB, .type = collectives::DataType::int8};
  parts.group = std::make_shared<const collectives::Group>(collectives::Group::first(cluster, 2));
  parts.reducers = {cluster.find_device("pod0/leaf0").value()};
  parts.channels = {
      {.chunks_per_block = 1,
       .loops = {{1, collectives::Coupling::exchange, {copies({{0, 2}}), copies({{2, 1}})}}}}};
  const collectives::Schedule schedule(std::move(parts));
  EXPECT_THROW((void)run(cluster, schedule), InputError);
}

// Lossy switches under an all-to-all: go-back-N delivers everything.
TEST(PacketNetwork, LossesAreSentAgain) {
  const auto cluster = testing::cluster(8, 1, roce(fabric(FabricKind::single_switch)));
  Pairs pairs;
  for (std::uint32_t i = 1; i < 8; ++i) pairs.emplace_back(i, 0);
  auto options = without_congestion_control();
  options.parameters.switches.lossless = false;
  options.parameters.switches.buffer = Bytes(500'000);
  options.parameters.switches.alpha = 1;
  options.parameters.nic.retransmit_timeout = 500_us;
  const auto result = run(cluster, sends(cluster, 1_MiB, pairs), options);
  EXPECT_GT(result.packets->lost, 0U);
  EXPECT_GE(result.packets->retransmitted, result.packets->lost);
  EXPECT_EQ(result.packets->pauses, 0U);
}

// A pause frame to a NIC passes the switch, packets from the NIC do not: headroom covers both ways.
TEST(PacketNetwork, PausesLoseNothingWhereTheWayBackIsLonger) {
  auto spec = roce(fabric(FabricKind::single_switch));
  spec.port_latency = 300_ns;
  spec.switch_latency = 900_ns;
  const auto cluster = testing::cluster(9, 1, spec);
  Pairs pairs;
  for (std::uint32_t i = 1; i < 9; ++i) pairs.emplace_back(i, 0);
  auto options = without_congestion_control();
  options.parameters.switches.buffer = 4_MB;
  const auto result = run(cluster, sends(cluster, 4_MiB, pairs), options);
  EXPECT_GT(result.packets->pauses, 0U);
  EXPECT_EQ(result.packets->lost, 0U);
}

TEST(PacketNetwork, MemoryGrowsWithTransfersPairsAndReads) {
  const auto cluster = testing::cluster(16, 1, fabric(FabricKind::single_switch));
  const auto schedule =
      testing::schedule(cluster, "ring", {.kind = Kind::all_reduce, .bytes = 1_MiB});
  auto options = without_congestion_control(RoutingPolicy::ecmp);
  const auto memory = [&] {
    const collectives::Schedule* const only = &schedule;
    return packet_memory(cluster, {&only, 1}, options);
  };
  const auto one = memory();
  options.routing.qps = 8;
  EXPECT_GT(memory(), one);
  EXPECT_GT(one, schedule.transfer_count() * 40);
  options.routing.qps = 1;
  options.message_reads = {false, true};  // a queue pair more for each of the 16 connections
  EXPECT_GE(memory() - one, 16 * packet::Engine::pair_bytes(options.parameters));
}

}  // namespace
}  // namespace railyard::sim
