#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/nccl/timing/fitted_time.hpp"
#include "tests/collectives/nccl_machine.hpp"

namespace railyard::collectives::nccl {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30, kMiB = 1 << 20;

/// Nodes that far apart (us, there and back), with H100s' channels for sends.
Machine apart(int nodes, double round_trip) {
  Machine m = machine(nodes);
  m.round_trips.longest = round_trip;
  m.sends = {.nodes = nodes,
             .ranks = m.ranks,
             .channels = 16,
             .per_peer = nodes < 16 ? 4 : 1,
             .step = 131072,
             .ll_threshold = 16384,
             .ll_step = 65536};
  return m;
}

double after_launch(const TimeTerms& terms) { return terms.total() - terms.launch; }

// 16 channels x 4 MiB in 5 ms are 13.4 GB/s. 8 GiB are 16 loops of 16 ranks x 16 channels x 2 MiB,
// each of 30 steps of 4 slots: 1920 slots, the first 8 free, 239 times 8 more. At 360 GB/s a
// message of 2 slots takes 30/16 x 8 GiB / 360 GB/s / 960 = 46.6 us. The first way is 2.5 ms.
TEST(NcclInFlight, ARingSendsWhatItsBuffersHoldInARoundTrip) {
  const TimeTerms t = collective_time(apart(2, 5000), {.bytes = 8 * kGiB});
  const double moved = 30.0 / 16 * 8 * kGiB;
  EXPECT_EQ(t.bound, Bound::round_trips);
  EXPECT_NEAR(after_launch(t), 2500 + 239 * (5000 + moved / 360e3 / 960), 1e-3);
  EXPECT_NEAR(moved / after_launch(t) / 1e3, 13.4, 0.15);
}

/// A ring all-reduce slice by slice (us): a rank sends on what its left neighbour sent it a step
/// before, once one of `slots` slots to its right is free; a slot is free one way after its slice
/// arrived. Ways between nodes take `way`, inside them nothing; a slice takes `slice`.
struct SlicedRing {
  int nodes, loops, slices, slots;
  double way, slice;

  [[nodiscard]] double finish() const {
    const int ranks = 8 * nodes, sends = loops * 2 * (ranks - 1) * slices;
    const auto at = [&](int rank, int send) {
      return static_cast<std::size_t>(send * ranks + rank);
    };
    std::vector<double> arrival(at(0, sends)), idle(static_cast<std::size_t>(ranks));
    double last = 0;
    for (int send = 0; send < sends; ++send)
      for (int rank = 0; rank < ranks; ++rank) {
        const double hop = rank % 8 == 7 ? way : 0;
        double& start = idle[static_cast<std::size_t>(rank)];
        if (send >= slices)
          start = std::max(start, arrival[at((rank + ranks - 1) % ranks, send - slices)]);
        if (send >= slots) start = std::max(start, arrival[at(rank, send - slots)] + hop);
        start += slice;
        arrival[at(rank, send)] = start + hop;
        last = std::max(last, start + hop);
      }
    return last;
  }
};

// Simple sends 2 slices a block and has 4 of them in flight, LL 1 and 8; steps take no time of
// their own here.
TEST(NcclInFlight, ARingWaitsAsLongAsSliceBySlice) {
  for (const int nodes : {2, 4})
    for (const auto& [protocol, slices, slots, block] :
         {std::tuple{Protocol::simple, 2, 4, 2 * kMiB},
          std::tuple{Protocol::ll, 1, 8, kMiB / 32}}) {
      Machine m = apart(nodes, 5000);
      m.gpu.step = m.fabric.step = {};
      m.round_trips.ring_detour = 2500 * nodes;
      const int loops = 3;
      const TimeQuery query{.bytes = loops * m.ranks * m.channels * block, .protocol = protocol};
      const double rate = protocol == Protocol::ll ? 180e3 : 360e3;  // of 16 channels, B/us
      const double slice = static_cast<double>(block) / slices * m.channels / rate;
      const SlicedRing ring{nodes, loops, slices, slots, 2500, slice};
      EXPECT_NEAR(after_launch(collective_time(m, query)) / ring.finish(), 1, 0.02)
          << nodes << " nodes, " << slices;
    }
}

// Four times the buffer: 4 loops, 480 slots, 59 times 8 more.
TEST(NcclInFlight, LargerBuffersSendMore) {
  Machine m = apart(2, 5000);
  m.buffers.simple = 16 * kMiB;
  const TimeTerms t = collective_time(m, {.bytes = 8 * kGiB});
  EXPECT_NEAR(after_launch(t), 2500 + 59 * (5000 + 30.0 / 16 * 8 * kGiB / 360e3 / 240), 1e-3);
}

// A loop has its 120 slots also where a block is small: 14 round trips and the first way.
TEST(NcclInFlight, StepsOfARingWaitEvenWhereTheyCarryLittle) {
  const TimeTerms t = collective_time(apart(2, 5000), {.bytes = 1024});
  EXPECT_NEAR(after_launch(t), 2500 + 14 * 5000, 1);
  // LL sends its 30 blocks in a slot each: three round trips after the first 8.
  const TimeTerms ll = collective_time(apart(2, 5000), {.bytes = 1024, .protocol = Protocol::ll});
  EXPECT_NEAR(after_launch(ll), 2500 + 3 * 5000, 1);
}

// Broadcast: a slot a block, 16 channels x 8 x 512 KiB are 64 MiB.
TEST(NcclInFlight, WhatFitsIntoTheBuffersDoesNotWait) {
  const TimeQuery fits{.kind = Kind::broadcast, .bytes = 64 * kMiB};
  EXPECT_EQ(collective_time(apart(2, 5000), fits).bound, Bound::gpu_links);
  EXPECT_NEAR(collective_time(apart(2, 5000), fits).total(),
              collective_time(machine(2), fits).total(), 1e-9);
  const TimeQuery more{.kind = Kind::broadcast, .bytes = 128 * kMiB};
  const TimeTerms t = collective_time(apart(2, 5000), more);
  EXPECT_NEAR(after_launch(t), t.steps + 5000 + 128 * kMiB / 360e3 / 16, 1e-3);
}

TEST(NcclInFlight, NothingWaitsAtOrdinaryRoundTrips) {
  for (const std::int64_t bytes : {std::int64_t{8}, kMiB, kGiB, 8 * kGiB})
    for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::broadcast, Kind::all_to_all})
      for (const int nodes : {2, 4, 16, 64}) {
        const TimeQuery query{.kind = kind, .bytes = bytes};
        EXPECT_NE(collective_time(apart(nodes, 3), query).bound, Bound::round_trips)
            << nodes << " nodes, " << bytes;
      }
}

// 1 GiB by 16 channels in chunks of 512 KiB: 128 slots, 15 times 8 more, after one way through the
// tree. Inside it goes at 360 x 0.5 = 180 GB/s.
TEST(NcclInFlight, ATreeIsAPipelineThatWaits) {
  const TimeTerms t =
      collective_time(apart(2, 10000), {.bytes = kGiB, .algorithm = TuningAlgorithm::tree});
  EXPECT_EQ(t.bound, Bound::round_trips);
  EXPECT_NEAR(after_launch(t), t.steps + 15 * (10000 + kGiB / 180e3 / 128), 1e-3);
}

// 16 channels x 8 heads in chunks of 128 KiB: 64 slots, 7 times 8 more. In flight are 128 MiB,
// twice what a ring has. min(288, 380) GB/s.
TEST(NcclInFlight, NvlsTreeHasAConnectionForEachHead) {
  const TimeTerms t =
      collective_time(apart(2, 10000), {.bytes = kGiB, .algorithm = TuningAlgorithm::nvls_tree});
  EXPECT_NEAR(after_launch(t), t.steps + 7 * (10000 + kGiB / 288e3 / 64), 1e-3);
}

// 1 GiB to 16 ranks: 64 MiB to each of the other node's 8, by 4 channels that they share: 8 sends
// on a channel have 2 slots of 128 KiB each, 128 slots take 64 round trips.
TEST(NcclInFlight, SendsOfAChannelShareItsSlots) {
  const TimeTerms t = collective_time(apart(2, 5000), {.kind = Kind::all_to_all, .bytes = kGiB});
  const double leaves = kGiB / 2.0 / (380.0 / 8 * 1e3);  // at a NIC's rate
  EXPECT_EQ(t.bound, Bound::round_trips);
  EXPECT_NEAR(after_launch(t), 64 * (5000 + leaves / 128), 1e-3);
}

// 32 nodes: one channel for each of 31 nodes, of which there are 16: two rounds. 256 KiB to a rank
// are 4 chunks of 64 KiB, two round trips.
TEST(NcclInFlight, MoreNodesThanChannelsGoInRounds) {
  const TimeTerms t =
      collective_time(apart(32, 5000), {.kind = Kind::all_to_all, .bytes = 64 * kMiB});
  const double leaves = 64 * kMiB * 31 / 32.0 / (380.0 / 8 * 1e3);
  EXPECT_NEAR(after_launch(t), 2 * 2 * (5000 + leaves / 8), 1e-3);
}

// One send has all 8 slots: 64 MiB by 4 channels, 128 slots each, 16 round trips.
TEST(NcclInFlight, ASingleSendHasTheSlotsOfItsChannels) {
  const TimeTerms t =
      collective_time(apart(2, 5000), {.kind = Kind::send_recv, .bytes = 64 * kMiB});
  EXPECT_NEAR(after_launch(t), 16 * (5000 + 64 * kMiB / (380.0 / 8 * 1e3) / 128), 1e-3);
}

// From 16 nodes on an H100 has one channel for a peer: 14 GB/s, not the 47.5 of its NIC.
TEST(NcclInFlight, OneChannelDoesNotFillANic) {
  const TimeQuery query{.kind = Kind::send_recv, .bytes = 140'000'000};
  EXPECT_NEAR(collective_time(apart(16, 0), query).bytes, 10'000, 1e-6);
  EXPECT_NEAR(collective_time(apart(2, 0), query).bytes, 140e3 / 47.5, 1e-6);
}

// A ring all-reduce goes around twice, a tree up and down.
TEST(NcclInFlight, DetoursAddToSteps) {
  Machine m = machine(2);
  m.round_trips.ring_detour = 100;
  m.round_trips.tree_detour = 30;
  const auto longer = [&](TuningAlgorithm algorithm) {
    const TimeQuery query{.bytes = 1024, .algorithm = algorithm};
    return collective_time(m, query).steps - collective_time(machine(2), query).steps;
  };
  EXPECT_NEAR(longer(TuningAlgorithm::ring), 200, 1e-9);
  EXPECT_NEAR(longer(TuningAlgorithm::tree), 60, 1e-9);
  EXPECT_NEAR(longer(TuningAlgorithm::nvls_tree), 60, 1e-9);
}

// Two ports of 300 ns, two switches of 200 ns, 147 us of fibre: 148 us, of which steps hold 4.
TEST(RoundTrips, AreThoseOfTheCables) {
  const auto cluster = topology::build_cluster(topology::read_cluster(
      std::string(RAILYARD_SOURCE_DIR) + "/configs/examples/two_sites_h100.json"));
  FittedTime time(cluster, {});
  const Machine* far = time.machine(Group::first(cluster, 16));
  ASSERT_NE(far, nullptr);
  EXPECT_NEAR(far->round_trips.longest, 296, 1e-6);
  EXPECT_NEAR(far->round_trips.longest_detour, 144, 1e-6);
  EXPECT_NEAR(far->round_trips.ring_detour, 288, 1e-6);
  EXPECT_NEAR(far->round_trips.tree_detour, 144, 1e-6);
  EXPECT_EQ(time.machine(Group::first(cluster, 8))->round_trips.longest, 0);
}

// Two nodes at each site. The ring crosses from 1 to 2 and from 3 to 0. In the first tree node 1 is
// below 2 and that below 0: two crossings; the second is its mirror image.
TEST(RoundTrips, CountHowOftenAWayCrosses) {
  std::string cables;
  for (int node = 0; node < 4; ++node)
    for (int nic = 0; nic < 8; ++nic)
      cables += "{\"a\": \"node" + std::to_string(node) + "/nic" + std::to_string(nic) +
                "\", \"b\": \"" + (node < 2 ? "east" : "west") +
                "\", \"bandwidth\": \"400 Gb/s\"},";
  const std::string file = ::testing::TempDir() + "/four_nodes.json";
  std::ofstream(file) << R"({"name": "four", "source": "test", "node": "dgx_h100", "nodes": 4,
    "fabric": {"kind": "explicit", "switches": [{"name": "east"}, {"name": "west"}], "cables": [)"
                      << cables << R"({"a": "east", "b": "west", "bandwidth": "400 Gb/s",
                          "count": 8, "latency": "104 us"}]}})";
  const auto cluster = topology::build_cluster(topology::read_cluster(file));
  FittedTime time(cluster, {});
  const RoundTrips all = time.machine(Group::first(cluster, 32))->round_trips;
  EXPECT_NEAR(all.longest, 208, 1e-6);
  EXPECT_NEAR(all.ring_detour, 2 * 100, 1e-6);
  EXPECT_NEAR(all.tree_detour, 2 * 100, 1e-6);
  const RoundTrips one_site = time.machine(Group::first(cluster, 16))->round_trips;
  EXPECT_EQ(one_site.longest, 0);
  EXPECT_EQ(one_site.ring_detour, 0);
}

// A DGX H100 SuperPOD: two ports of 300 ns and, beyond a leaf, three switches of 200 ns.
TEST(RoundTrips, OfOneSiteAreNoDetour) {
  const auto cluster = topology::build_cluster(topology::read_cluster(
      std::string(RAILYARD_SOURCE_DIR) + "/configs/clusters/dgx_h100_ndr400.json", 64));
  FittedTime time(cluster, {});
  const Machine* machine = time.machine(Group::first(cluster, 512));
  EXPECT_NEAR(machine->round_trips.longest, 2 * 1.2, 1e-6);
  EXPECT_EQ(machine->round_trips.longest_detour, 0);
  EXPECT_EQ(machine->round_trips.ring_detour, 0);
}

}  // namespace
}  // namespace railyard::collectives::nccl
