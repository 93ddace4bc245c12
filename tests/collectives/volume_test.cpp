#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/equal_transfers.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::CanonicalNode;
using testing::list_transfers;
using testing::Listed;
using testing::make_cluster;
using testing::make_request;

struct Volume {
  std::vector<std::int64_t> out, in;  ///< bytes by participant
};

Volume volume_of(const Schedule& schedule) {
  Volume volume{std::vector<std::int64_t>(schedule.participants(), 0),
                std::vector<std::int64_t>(schedule.participants(), 0)};
  for (const Listed& listed : list_transfers(schedule)) {
    const std::int64_t bytes = schedule.bytes(listed.channel, listed.transfer).count();
    volume.out[listed.transfer.source] += bytes;
    volume.in[listed.transfer.destination] += bytes;
  }
  return volume;
}

bool crosses_nodes(const Schedule& schedule, const Transfer& transfer) {
  return !schedule.is_reducer(transfer.source) && !schedule.is_reducer(transfer.destination) &&
         schedule.group().node_index(transfer.source) !=
             schedule.group().node_index(transfer.destination);
}

/// NIC by which a transfer leaves and arrives: as hinted, else the nearest.
int nic_out(const topology::Cluster& cluster, const Schedule& schedule, const Transfer& transfer) {
  return transfer.source_nic >= 0 ? transfer.source_nic
                                  : cluster.rail_of(schedule.group().rank(transfer.source));
}
int nic_in(const topology::Cluster& cluster, const Schedule& schedule, const Transfer& transfer) {
  return transfer.destination_nic >= 0
             ? transfer.destination_nic
             : cluster.rail_of(schedule.group().rank(transfer.destination));
}

TEST(RingVolume, AllReduceSendsTwoNMinusOneNthsPerRank) {
  // 4 nodes x 8 ranks, 8 channels; 1 MiB = 2^18 floats = 32 pieces x 8 channels x 1024 floats, so
  // each rank sends and receives exactly 2 (32-1)/32 MiB.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 4);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 20)}));
  ASSERT_EQ(schedule.channels().size(), 8U);
  const Volume volume = volume_of(schedule);
  for (std::uint32_t rank = 0; rank < 32; ++rank) {
    EXPECT_EQ(volume.out[rank], 2 * 31 * (1 << 20) / 32);
    EXPECT_EQ(volume.in[rank], 2 * 31 * (1 << 20) / 32);
  }
}

TEST(RingVolume, GatherAndScatterSendNMinusOneBlocks) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 2);
  for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter}) {
    const Schedule schedule =
        build_schedule("ring", make_request(cluster, {.kind = kind, .bytes = Bytes(8 * 4096)}));
    const Volume volume = volume_of(schedule);
    for (std::uint32_t rank = 0; rank < 8; ++rank) EXPECT_EQ(volume.out[rank], 7 * 4096);
  }
}

TEST(RingVolume, BroadcastPassesTheBufferOnce) {
  // A chain of n-1 hops; the last rank (before the root) sends nothing, the root receives nothing.
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 2);
  const Schedule schedule = build_schedule(
      "ring", make_request(cluster, {.kind = Kind::broadcast, .bytes = Bytes(40'000), .root = 3}));
  const Volume volume = volume_of(schedule);
  EXPECT_EQ(volume.out[3], 40'000);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(volume.in[rank], rank == 3 ? 0 : 40'000);
  }
}

/// Hops between nodes of a ring: per channel, how many leave each node, and by which NICs.
struct Hops {
  std::map<std::pair<std::size_t, std::uint32_t>, int> leaving, arriving;  ///< (channel, node)
  int on_rail = 0, off_rail = 0, relayed = 0;
};

Hops hops_of(const topology::Cluster& cluster, const Schedule& schedule) {
  Hops hops;
  for (const Listed& listed : list_transfers(schedule)) {
    const Transfer& transfer = listed.transfer;
    if (listed.loop != 0 || listed.iteration != 0 || !crosses_nodes(schedule, transfer)) continue;
    ++hops.leaving[{listed.channel, schedule.group().node_index(transfer.source)}];
    ++hops.arriving[{listed.channel, schedule.group().node_index(transfer.destination)}];
    const bool same = nic_out(cluster, schedule, transfer) == nic_in(cluster, schedule, transfer);
    ++(same ? hops.on_rail : hops.off_rail);
    if (transfer.relay != kNoParticipant) ++hops.relayed;
  }
  return hops;
}

TEST(RingCrossing, EveryChannelEntersAndLeavesEachNodeOnce) {
  for (const CanonicalNode& form :
       {CanonicalNode{.gpus = 8, .nics = 8},
        CanonicalNode{.gpus = 8, .nics = 4, .gpus_per_switch = 2}, testing::cube_mesh()}) {
    const topology::Cluster cluster = make_cluster(form, 4);
    const Schedule schedule =
        build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 16)}));
    const Hops hops = hops_of(cluster, schedule);
    ASSERT_EQ(hops.leaving.size(), schedule.channels().size() * 4);
    for (const auto& [at, count] : hops.leaving) EXPECT_EQ(count, 1);
    for (const auto& [at, count] : hops.arriving) EXPECT_EQ(count, 1);
  }
}

TEST(RingCrossing, PairedRingsOfAnEvenNumberOfNodesStayOnRails) {
  // One NIC per GPU: crossNic 2. 8 channels x 4 nodes = 32 hops between nodes, none relayed.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 4);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 16)}));
  const Hops hops = hops_of(cluster, schedule);
  EXPECT_EQ(hops.on_rail, 32);
  EXPECT_EQ(hops.off_rail, 0);
  EXPECT_EQ(hops.relayed, 0);
}

TEST(RingCrossing, RingZeroOfDgxH100LeavesNodeZeroOnNicOne) {
  // NCCL 2.30.7 on two nodes:
  // "ring 0 leaves node 0 on NET1 and enters node 1 at GPU 9 = NET1".
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 2);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 16)}));
  int found = 0;
  for (const Listed& listed : list_transfers(schedule)) {
    if (listed.channel != 0 || listed.iteration != 0 || !crosses_nodes(schedule, listed.transfer))
      continue;
    if (schedule.group().node_index(listed.transfer.source) != 0) continue;
    EXPECT_EQ(listed.transfer.source, 1U);
    EXPECT_EQ(listed.transfer.destination, 9U);
    EXPECT_EQ(listed.transfer.source_nic, 1);
    EXPECT_EQ(listed.transfer.destination_nic, 1);
    ++found;
  }
  EXPECT_EQ(found, 2);  // one in the reducing turns, one in the copying ones
}

TEST(RingCrossing, AnOddNumberOfNodesCostsOneHopPerChannel) {
  // The pairs are swapped on odd nodes; with 3 nodes the last and the first are both even.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 3);
  const Hops hops =
      hops_of(cluster, build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 16)})));
  EXPECT_EQ(hops.off_rail, 8);
  EXPECT_EQ(hops.on_rail, 16);
}

TEST(RingCrossing, StraightRingsHandOverByRelayWhereNoSecondGpuIsNear) {
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 4);
  const Request request = make_request(cluster, {.bytes = Bytes(1 << 16)}, {.cross_nic = 0});
  const Hops hops = hops_of(cluster, build_schedule("ring", request));
  EXPECT_EQ(hops.on_rail, 32);
  EXPECT_EQ(hops.relayed, 32);
}

TEST(RingCrossing, StraightRingsNeedNoRelayWhereTwoGpusShareANic) {
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 4, .gpus_per_switch = 2}, 4);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 16)}));
  EXPECT_EQ(schedule.channels().size(), 4U);
  const Hops hops = hops_of(cluster, schedule);
  EXPECT_EQ(hops.on_rail, 16);
  EXPECT_EQ(hops.relayed, 0);
}

TEST(TreeVolume, InnerNodesSendTwiceTheBufferAtMost) {
  // NCCL 2.30: over both trees each node sends and receives about 2 S, less at the roots:
  // all nodes together 2 (N-1) edges x 2 directions / 2 trees x S/2 each = 2 (N-1) S.
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 6);
  constexpr std::int64_t kBytes = 8 * 4096;
  const Schedule schedule = build_schedule("tree", make_request(cluster, {.bytes = Bytes(kBytes)}));
  std::vector<std::int64_t> out(6, 0);
  for (const Listed& listed : list_transfers(schedule)) {
    if (!crosses_nodes(schedule, listed.transfer)) continue;
    out[schedule.group().node_index(listed.transfer.source)] +=
        schedule.bytes(listed.channel, listed.transfer).count();
    EXPECT_EQ(nic_out(cluster, schedule, listed.transfer),
              nic_in(cluster, schedule, listed.transfer));
  }
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), std::int64_t{0}), 2 * 5 * kBytes);
  for (const std::int64_t bytes : out) EXPECT_LE(bytes, 2 * kBytes);
}

TEST(NvlsVolume, EveryRankSendsOnceAndItsShare) {
  // S(1 + 1/n) out and in: all of S to the switch, and the head's share S/n again.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 1);
  const Schedule schedule =
      build_schedule("nvls", make_request(cluster, {.bytes = Bytes(1 << 20)}));
  const Volume volume = volume_of(schedule);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(volume.out[rank], (1 << 20) + (1 << 17));
    EXPECT_EQ(volume.in[rank], (1 << 20) + (1 << 17));
  }
}

TEST(NvlsTreeVolume, EveryNicCarriesAtMostTwoShares) {
  // NCCL 2.30: about 2 S/H each way per NIC (H heads, S/2H per tree and up to 2 edges each
  // way).
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 4);
  constexpr std::int64_t kBytes = 1 << 20;
  const Schedule schedule =
      build_schedule("nvls_tree", make_request(cluster, {.bytes = Bytes(kBytes)}));
  std::map<std::pair<std::uint32_t, int>, std::int64_t> out;
  for (const Listed& listed : list_transfers(schedule)) {
    if (!crosses_nodes(schedule, listed.transfer)) continue;
    out[{schedule.group().node_index(listed.transfer.source), listed.transfer.source_nic}] +=
        schedule.bytes(listed.channel, listed.transfer).count();
  }
  ASSERT_EQ(out.size(), 16U);
  for (const auto& [nic, bytes] : out) EXPECT_LE(bytes, 2 * kBytes / 4);
}

TEST(CollnetVolume, EveryNicCarriesItsShareOnceEachWay) {
  // NCCL 2.30: S/H out and in per NIC.
  const topology::Cluster cluster =
      make_cluster({.gpus = 8, .nics = 8, .in_network_reduction = true}, 4);
  for (const char* name : {"collnet_direct", "collnet_chain"}) {
    const Schedule schedule =
        build_schedule(name, make_request(cluster, {.bytes = Bytes(1 << 20)}));
    std::map<std::pair<std::uint32_t, int>, std::int64_t> out, in;
    for (const Listed& listed : list_transfers(schedule)) {
      const Transfer& transfer = listed.transfer;
      const std::int64_t bytes = schedule.bytes(listed.channel, transfer).count();
      EXPECT_FALSE(crosses_nodes(schedule, transfer));
      if (!schedule.is_reducer(transfer.source) && schedule.is_reducer(transfer.destination)) {
        out[{schedule.group().node_index(transfer.source), transfer.source_nic}] += bytes;
      }
      if (schedule.is_reducer(transfer.source) && !schedule.is_reducer(transfer.destination)) {
        in[{schedule.group().node_index(transfer.destination), transfer.destination_nic}] += bytes;
      }
    }
    ASSERT_EQ(out.size(), 32U) << name;
    for (const auto& [nic, bytes] : out) EXPECT_EQ(bytes, 1 << 17) << name;
    EXPECT_EQ(in, out) << name;
  }
}

TEST(HalvingDoublingVolume, IsThatOfTheRing) {
  // 1/2 + 1/4 + 1/8 = 7/8 of S each way, twice.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 1);
  const Volume volume = volume_of(
      build_schedule("halving_doubling", make_request(cluster, {.bytes = Bytes(1 << 20)})));
  for (std::uint32_t rank = 0; rank < 8; ++rank) EXPECT_EQ(volume.out[rank], 2 * 7 * (1 << 17));
}

TEST(HalvingDoublingVolume, MostBytesStayInsideNodes) {
  // 2 nodes x 4: S/2 + S/4 inside, S/8 across, each way, twice.
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 2);
  const Schedule schedule =
      build_schedule("halving_doubling", make_request(cluster, {.bytes = Bytes(1 << 20)}));
  std::int64_t across = 0;
  for (const Listed& listed : list_transfers(schedule)) {
    if (crosses_nodes(schedule, listed.transfer))
      across += schedule.bytes(listed.channel, listed.transfer).count();
  }
  EXPECT_EQ(across, 8 * 2 * (1 << 20) / 8);
}

TEST(HierarchicalVolume, AcrossNodesGoesThePieceOfTheLocalNumberAlone) {
  // 4 nodes x 4: each rank holds S/4 after the first phase and rings it: 2 (4-1)/4 S/4 across.
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 4);
  const Schedule schedule =
      build_schedule("hierarchical", make_request(cluster, {.bytes = Bytes(1 << 20)}));
  std::vector<std::int64_t> across(16, 0);
  for (const Listed& listed : list_transfers(schedule)) {
    if (!crosses_nodes(schedule, listed.transfer)) continue;
    across[listed.transfer.source] += schedule.bytes(listed.channel, listed.transfer).count();
    EXPECT_EQ(listed.transfer.source % 4, listed.transfer.destination % 4);
  }
  for (const std::int64_t bytes : across) EXPECT_EQ(bytes, 2 * 3 * (1 << 20) / 16);
}

TEST(PatVolume, EveryBlockIsSentOncePerReceiver) {
  // (n-1)/n S in and out per rank, in ceil(log2 n) steps.
  const topology::Cluster cluster = make_cluster({.gpus = 1, .nics = 1}, 11);
  for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter}) {
    const Schedule schedule =
        build_schedule("pat", make_request(cluster, {.kind = kind, .bytes = Bytes(11 * 4096)}));
    EXPECT_EQ(schedule.channels()[0].loops[0].steps.size(), 4U);
    const Volume volume = volume_of(schedule);
    for (std::uint32_t rank = 0; rank < 11; ++rank) {
      EXPECT_EQ(volume.out[rank], 10 * 4096);
      EXPECT_EQ(volume.in[rank], 10 * 4096);
    }
  }
}

TEST(PatVolume, TheLastStepOfAGatherIsTheNearest) {
  const topology::Cluster cluster = make_cluster({.gpus = 1, .nics = 1}, 16);
  const Schedule schedule = build_schedule(
      "pat", make_request(cluster, {.kind = Kind::all_gather, .bytes = Bytes(16 * 4096)}));
  const auto& steps = schedule.channels()[0].loops[0].steps;
  // Distances 8 4 2 1 with 1 2 4 8 blocks per rank.
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(steps[s].size(), 16U << s);
    const Transfer transfer = steps[s].at(0, 0);
    EXPECT_EQ((transfer.destination + 16 - transfer.source) % 16, 8U >> s);
  }
}

TEST(PatVolume, AlikeTransfersDifferInTheirChunkAlone) {
  const topology::Cluster cluster = make_cluster({.gpus = 1, .nics = 1}, 11);
  for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter}) {
    const Schedule schedule =
        build_schedule("pat", make_request(cluster, {.kind = kind, .bytes = Bytes(11 * 4096)}));
    std::size_t pairs = 0;
    for (const Step& step : schedule.channels()[0].loops[0].steps)
      for (std::uint64_t i = 0, alike = 0; i < step.size(); i += alike, ++pairs) {
        alike = equal_transfers(step.pattern, i);
        for (std::uint64_t k = i; k < i + alike; ++k) {
          Transfer transfer = step.at(k, 0);
          transfer.first_chunk = step.at(i, 0).first_chunk;
          EXPECT_EQ(transfer.source, step.at(i, 0).source);
          EXPECT_EQ(transfer.destination, step.at(i, 0).destination);
          EXPECT_EQ(schedule.bytes(0, transfer), schedule.bytes(0, step.at(k, 0)));
        }
      }
    EXPECT_EQ(pairs, 4U * 11U) << "one run per rank and step";
  }
}

struct Rails {
  std::int64_t on = 0, off = 0;  ///< inter-node bytes that keep or change the rail
  int relayed = 0;
};

Rails rails_of(const topology::Cluster& cluster, const Schedule& schedule) {
  Rails rails;
  for (const Listed& listed : list_transfers(schedule)) {
    if (!crosses_nodes(schedule, listed.transfer)) continue;
    const std::int64_t bytes = schedule.bytes(listed.channel, listed.transfer).count();
    const bool same =
        nic_out(cluster, schedule, listed.transfer) == nic_in(cluster, schedule, listed.transfer);
    (same ? rails.on : rails.off) += bytes;
    if (listed.transfer.relay != kNoParticipant) ++rails.relayed;
  }
  return rails;
}

TEST(AllToAllRails, DirectSendsAllButOnePthAcrossRails) {
  // 3 nodes x 4, blocks of 4 KiB: 12 ranks x 8 peers on other nodes x 4 KiB; of the 4 peers of a
  // node one is on the own rail.
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 3);
  const Rails rails = rails_of(
      cluster, build_schedule("direct", make_request(cluster, {.kind = Kind::all_to_all,
                                                               .bytes = Bytes(12 * 4096)})));
  EXPECT_EQ(rails.on, 12 * 2 * 4096);
  EXPECT_EQ(rails.off, 12 * 6 * 4096);
}

TEST(AllToAllRails, PxnKeepsEverythingOnRails) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 3);
  const Schedule schedule = build_schedule(
      "rail_pxn", make_request(cluster, {.kind = Kind::all_to_all, .bytes = Bytes(12 * 4096)}));
  const Rails rails = rails_of(cluster, schedule);
  EXPECT_EQ(rails.on, 12 * 8 * 4096);
  EXPECT_EQ(rails.off, 0);
  EXPECT_EQ(rails.relayed, 12 * 6);
  for (const Listed& listed : list_transfers(schedule)) {
    const Transfer& transfer = listed.transfer;
    if (transfer.relay == kNoParticipant) continue;
    // The local GPU with the peer's local number.
    EXPECT_EQ(transfer.relay, transfer.source / 4 * 4 + transfer.destination % 4);
  }
}

TEST(AllToAllRails, WithoutPxnTheSenderDrivesThePeersRailItself) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 3);
  const Rails rails = rails_of(
      cluster, build_schedule("rail_direct", make_request(cluster, {.kind = Kind::all_to_all,
                                                                    .bytes = Bytes(12 * 4096)})));
  EXPECT_EQ(rails.off, 0);
  EXPECT_EQ(rails.relayed, 0);
}

TEST(AllToAllRails, NobodyRelaysForAGpuOutsideTheGroup) {
  // Node 0 takes part with GPUs 0 and 1, node 1 with 2 and 3: no rank of node 0 sits on GPU 2 or 3.
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 2);
  const Schedule schedule = build_schedule(
      "rail_pxn",
      make_request(cluster, {0, 1, 6, 7}, {.kind = Kind::all_to_all, .bytes = Bytes(4096)}));
  for (const Listed& listed : list_transfers(schedule))
    EXPECT_EQ(listed.transfer.relay, kNoParticipant);
}

TEST(AllToAllRails, HierarchicalCrossesNodesOnRailsAlone) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 3);
  const Schedule schedule = build_schedule(
      "hierarchical", make_request(cluster, {.kind = Kind::all_to_all, .bytes = Bytes(12 * 4096)}));
  const Rails rails = rails_of(cluster, schedule);
  EXPECT_EQ(rails.on, 12 * 8 * 4096);
  EXPECT_EQ(rails.off, 0);
}

TEST(AllToAllOrder, GroupsAreVisitedAsNcclDoes) {
  // NCCL 2.30, 16 groups: 0 1 3 6 10 15 5 12 4 13 7 2 14 11 9 8. 16 nodes of 8: rank 0's
  // peer in round 8k is the first rank of the k-th group visited.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 16);
  const Schedule schedule = build_schedule(
      "direct", make_request(cluster, {.kind = Kind::all_to_all, .bytes = Bytes(1 << 20)}));
  const Step& step = schedule.channels()[0].loops[0].steps[0];
  const std::vector<std::uint32_t> visited{1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8};
  for (std::size_t k = 0; k < visited.size(); ++k) {
    EXPECT_EQ(step.at((8 * (k + 1) - 1) * 128, 0).destination, visited[k] * 8);
  }
}

}  // namespace
}  // namespace railyard::collectives
