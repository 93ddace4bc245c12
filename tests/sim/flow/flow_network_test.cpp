#include "sim/flow/flow_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "sim/link_report.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::Run;
using ::testing::HasSubstr;
using topology::FabricKind;

Run run(const topology::Cluster& cluster, const collectives::Schedule& schedule,
        FlowOptions options = {}) {
  options.certify = true;
  const collectives::Task task{.schedule = &schedule, .start = {}, .name = "job"};
  return FlowNetwork(cluster, std::move(options)).run({&task, 1});
}

TEST(FlowNetwork, RingAllReduceOnAnNvswitchIsBoundByNvlink) {
  // n = 8, pieces of 360 MB: 2 (n - 1) = 14 steps of 1 ms each at 360 GB/s.
  const auto cluster = single_switch(1, 8);
  const auto ring = schedule(cluster, "ring", {.bytes = 2880_MB}, {.channels = 1});
  const auto result = run(cluster, ring);
  EXPECT_EQ(duration(result), 14_ms);
  EXPECT_THAT(result.tasks[0].bound_by.text, HasSubstr("nvswitch"));
  EXPECT_DOUBLE_EQ(result.tasks[0].bound_by.utilisation, 1.0);
}

TEST(FlowNetwork, ChannelsShareTheLinksOfTheirRings) {
  // Two rings of half the bytes on the same links: the same time.
  const auto cluster = single_switch(1, 8);
  const auto ring = schedule(cluster, "ring", {.bytes = 2880_MB}, {.channels = 2});
  EXPECT_EQ(duration(run(cluster, ring)), 14_ms);
}

TEST(FlowNetwork, RingBetweenNodesPaysOverheadAndLinkLatencyPerStep) {
  // n = 4, pieces of 50 MB: 1 ms each at 50 GB/s, 2 * 3 = 6 steps. Per step 5 us of overhead, 100
  // ns from NIC to leaf, 200 + 100 ns from leaf to NIC: 5.4 us. Once 10 us of launch.
  auto fabric_spec = fabric(FabricKind::single_switch);
  fabric_spec.port_latency = 100_ns;
  fabric_spec.switch_latency = 200_ns;
  const auto cluster = testing::cluster(
      4, 1, fabric_spec, {.launch = 10_us, .nvlink = {}, .pcie = {}, .network = 5_us});
  const auto ring = schedule(cluster, "ring", {.bytes = 200_MB}, {.channels = 1});
  EXPECT_EQ(duration(run(cluster, ring)), 6_ms + 10_us + 6 * (5_us + 400_ns));
}

TEST(FlowNetwork, SmallMessagesAreBoundByLatency) {
  const auto cluster =
      single_switch(4, 1, {.launch = {}, .nvlink = {}, .pcie = {}, .network = 5_us});
  const auto ring = schedule(cluster, "ring", {.bytes = 4_KiB}, {.channels = 1});
  const auto result = run(cluster, ring);
  // Pieces of 1024 B take 20480 ps at 50 GB/s.
  EXPECT_EQ(duration(result), 6 * (5_us + 20480_ps));
  EXPECT_EQ(result.tasks[0].bound_by.text, "latency");
  EXPECT_TRUE(result.tasks[0].bound_by.link.is_none());
}

TEST(FlowNetwork, PipelineCountsTheFillOfTheChain) {
  // 0 -> 1 -> 2, 10 chunks of 50 MB (1 ms at 50 GB/s): 10 ms at the steady rate, 1 ms until the
  // second hop has its first chunk, 2 * 5 us of overhead.
  const auto cluster =
      single_switch(3, 1, {.launch = {}, .nvlink = {}, .pcie = {}, .network = 5_us});
  const auto chain = schedule_of(
      cluster, 500_MB,
      {{10, collectives::Coupling::pipeline, {copies({{0, 1}}, 1), copies({{1, 2}}, 1)}}}, 10);
  EXPECT_EQ(duration(run(cluster, chain)), 11_ms + 10_us);
}

TEST(FlowNetwork, HalvingAndDoublingGoesStepByStep) {
  // All-reduce of S = 200 MB over 4: S/2, S/4, S/4, S/2 at 50 GB/s are 2, 1, 1, 2 ms; 4 x 5 us.
  const auto cluster =
      single_switch(4, 1, {.launch = {}, .nvlink = {}, .pcie = {}, .network = 5_us});
  EXPECT_EQ(duration(run(cluster, halving_doubling_of_four(cluster, 200_MB))), 6_ms + 20_us);
}

TEST(FlowNetwork, DoubleBinaryTreeOfFourNodes) {
  // NCCL's trees of 4: 0 - 2 - {1, 3} and its mirror 3 - 1 - {2, 0}; each carries S/2 = 100 MB up
  // and down. Node 2 sends 1 up and 2 down in the first and 1 up in the second: 4 * 100 MB = 400 MB
  // out and as much in: 8 ms at 50 GB/s. Fill: a chunk c goes up into node 2 beside its sibling
  // (2c), to the root (c), back (c), and down beside its sibling (2c); the slowest of these is in
  // the steady rate: 4c at 50 GB/s.
  const auto cluster = single_switch(4, 1);
  const auto tree = schedule(cluster, "tree", {.bytes = 200_MB}, {.channels = 2, .chunk = 1_MB});
  const auto chunks = static_cast<std::int64_t>(tree.channels()[0].loops[0].repeat);
  ASSERT_EQ(100'000'000 / 4 % chunks, 0);  // chunks of equal size
  const Bytes chunk = 100_MB / chunks;
  EXPECT_EQ(duration(run(cluster, tree)), 8_ms + core::serialisation_time(4 * chunk, 50_GBps));
}

/// All-to-all of 8 nodes with one GPU, 4 to a leaf, b = 50 MB per pair (1 ms at 50 GB/s).
Time all_to_all(double oversubscription) {
  const auto cluster = testing::cluster(8, 1, leaf_spine(4, oversubscription));
  return duration(
      run(cluster, schedule(cluster, "direct", {.kind = Kind::all_to_all, .bytes = 400_MB})));
}

TEST(FlowNetwork, AllToAllOnANonBlockingClosIsBoundByTheNics) {
  // Each NIC sends 7b. A leaf sends 16b up over 4 uplinks: 4b each, no limit.
  EXPECT_EQ(all_to_all(1.0), 7_ms);
}

TEST(FlowNetwork, AllToAllAtTwoToOneIsBoundByTheUplinks) {
  // 16b over 2 uplinks: 8b each.
  EXPECT_EQ(all_to_all(2.0), 8_ms);
}

TEST(FlowNetwork, AllToAllAtFourToOneIsBoundByTheUplink) {
  // 16b over one uplink.
  EXPECT_EQ(all_to_all(4.0), 16_ms);
}

/// All-to-all of 4 nodes with 2 GPUs, each rail on a leaf with one uplink (4:1); b = 50 MB per
/// pair.
Run rails(std::string_view algorithm, const topology::Cluster& cluster) {
  return run(cluster, schedule(cluster, algorithm, {.kind = Kind::all_to_all, .bytes = 400_MB}));
}

double tier_bytes(const topology::Cluster& cluster, const Run& result, std::string_view tier) {
  double bytes = 0;
  for (const auto& load : result.link_loads)
    if (tier_of(cluster, load.link) == tier) bytes += load.bytes;
  return bytes;
}

topology::Cluster rail_cluster() {
  auto spec = fabric(FabricKind::rail_clos);
  spec.nodes_per_unit = 4;
  spec.leaf_oversubscription = 4;
  spec.tiers = 2;
  return testing::cluster(4, 2, spec);
}

TEST(FlowNetwork, CrossRailAllToAllIsBoundByTheSpine) {
  // GPU g of a node sends b to the other GPU of 3 remote nodes: 4 * 3 = 12b leave each rail's leaf
  // over its one uplink: 12 ms. Over both leaves 24b = 1200 MB.
  const auto cluster = rail_cluster();
  const auto result = rails("direct", cluster);
  EXPECT_EQ(duration(result), 12_ms);
  EXPECT_DOUBLE_EQ(tier_bytes(cluster, result, "leaf -> spine"), 1200e6);
  EXPECT_THAT(result.tasks[0].bound_by.text, HasSubstr("spine"));
}

TEST(FlowNetwork, RailLocalAllToAllKeepsOffTheSpine) {
  // With PXN NIC g of a node sends what both its GPUs have for GPU g of 3 nodes: 6b: 6 ms. NVLink:
  // in each of 4 nodes 2 pairs inside and 2 * 3 transfers that change rails, 2 links each: 64b =
  // 3200 MB.
  const auto cluster = rail_cluster();
  const auto result = rails("rail_pxn", cluster);
  EXPECT_EQ(duration(result), 6_ms);
  EXPECT_DOUBLE_EQ(tier_bytes(cluster, result, "leaf -> spine"), 0);
  EXPECT_DOUBLE_EQ(tier_bytes(cluster, result, "nvlink"), 3200e6);
}

TEST(FlowNetwork, LoadedProtocolsSendMoreOnTheWire) {
  // LL doubles every byte, LL128 adds 8 to 120.
  const auto cluster = single_switch(2, 1);
  const auto time = [&](collectives::Protocol protocol) {
    return duration(run(cluster, schedule(cluster, "ring", {.bytes = 150_MB},
                                          {.channels = 1, .protocol = protocol})));
  };
  EXPECT_EQ(time(collectives::Protocol::simple), 3_ms);  // 2 steps of 75 MB at 50 GB/s
  EXPECT_EQ(time(collectives::Protocol::ll), 6_ms);
  EXPECT_EQ(time(collectives::Protocol::ll128), 3200_us);
}

TEST(FlowNetwork, PacketHeadersTakeTheirPartOfThePort) {
  // 4096 B of payload and 1024 B of headers: 5/4 of the bytes on ports, PCIe carries the payload.
  auto spec = fabric(FabricKind::single_switch);
  spec.packet_overhead = Bytes(1024);
  const auto cluster = testing::cluster(2, 1, spec);
  const auto result = run(cluster, sends(cluster, 100_MB, {{0, 1}}));
  EXPECT_EQ(duration(result), 2500_us);
  EXPECT_DOUBLE_EQ(tier_bytes(cluster, result, "nic -> leaf"), 125e6);
  EXPECT_DOUBLE_EQ(carried(result, link(cluster, "node0/pcie0 -> node0/nic0")), 100e6);
}

TEST(FlowNetwork, NothingToDoTakesTheLaunch) {
  const auto cluster =
      single_switch(1, 1, {.launch = 7_us, .nvlink = {}, .pcie = {}, .network = {}});
  EXPECT_EQ(duration(run(cluster, schedule(cluster, "ring", {.bytes = 4_KiB}))), 7_us);
}

TEST(FlowNetwork, TheTimelineTellsLatencyAndFlowApart) {
  const auto cluster =
      single_switch(2, 1, {.launch = {}, .nvlink = {}, .pcie = {}, .network = 5_us});
  const auto ring = schedule(cluster, "ring", {.bytes = 100_MB}, {.channels = 1});
  const auto result = run(cluster, ring, {.timeline = true});
  ASSERT_GE(result.timeline.size(), 2u);
  EXPECT_EQ(result.timeline[0].track, "job / channel 0");
  EXPECT_EQ(result.timeline[0].name, "latency");
  EXPECT_EQ(result.timeline[0].end, 10_us);  // 2 steps
  EXPECT_EQ(result.timeline[1].name, "ring of 2 transfers, 2 times");
  EXPECT_EQ(result.timeline[1].begin, 10_us);
  EXPECT_EQ(result.timeline[1].end, 10_us + 2_ms);
  EXPECT_EQ(result.timeline[1].bytes, 100_MB);
  EXPECT_EQ(result.timeline[2].track, "job / task");
  EXPECT_EQ(result.timeline[2].name, "ring");
  EXPECT_EQ(result.timeline[2].end, 10_us + 2_ms);
}

TEST(FlowNetwork, TheTimelineCountsTheLoadOfEachTier) {
  // 100 MB each way through the port in 2 ms: two NICs send 200 MB in all.
  const auto cluster = single_switch(2, 1);
  const auto ring = schedule(cluster, "ring", {.bytes = 100_MB}, {.channels = 1});
  double bytes = 0;
  for (const auto& event : run(cluster, ring, {.timeline = true}).timeline)
    if (event.track == "load: nic -> leaf") bytes += static_cast<double>(event.bytes.count());
  EXPECT_EQ(bytes, 200e6);
}

}  // namespace
}  // namespace railyard::sim
