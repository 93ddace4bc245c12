#include "collectives/schedule/schedule.hpp"

#include <gtest/gtest.h>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/schedule/measurement.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::make_cluster;
using testing::make_request;

Schedule with_channels(const topology::Cluster& cluster, Collective collective,
                       const std::vector<std::uint64_t>& pieces) {
  const Request request = make_request(cluster, collective);
  Schedule::Parts parts{.algorithm = "none",
                        .collective = collective,
                        .group = request.group,
                        .reducers = {},
                        .channels = {}};
  for (const std::uint64_t count : pieces)
    parts.channels.push_back({.chunks_per_block = count, .loops = {}});
  return Schedule(std::move(parts));
}

TEST(Schedule, ChunksTileEveryBlockInWholeElements) {
  const topology::Cluster cluster = make_cluster({.gpus = 3, .nics = 3}, 1);
  for (const DataType type : {DataType::int8, DataType::float16, DataType::float64}) {
    for (const std::int64_t bytes : {0, 8, 1000, 4096, 99'999}) {
      const Schedule schedule =
          with_channels(cluster, {.bytes = Bytes(bytes), .type = type}, {3, 7, 1});
      Bytes reached;
      for (std::size_t channel = 0; channel < 3; ++channel) {
        for (std::uint64_t chunk = 0; chunk < schedule.channels()[channel].chunks_per_block;
             ++chunk) {
          const Schedule::Place place = schedule.place(channel, chunk);
          EXPECT_EQ(place.block, 0U);
          EXPECT_EQ(place.offset, reached);
          EXPECT_EQ(place.length.count() % size_of(type).count(), 0);
          reached += place.length;
        }
      }
      EXPECT_EQ(reached, schedule.block_bytes());
      // What does not fill an element is not sent.
      EXPECT_EQ(reached.count(), bytes / size_of(type).count() * size_of(type).count());
    }
  }
}

TEST(Schedule, TenElementsOverThreeChannelsAreThreeThreeFour) {
  // floor(10 c / 3) = 0 3 6 10.
  const topology::Cluster cluster = make_cluster({.gpus = 2, .nics = 2}, 1);
  const Schedule schedule = with_channels(cluster, {.bytes = Bytes(40)}, {1, 1, 1});
  EXPECT_EQ(schedule.place(0, 0).length, Bytes(12));
  EXPECT_EQ(schedule.place(1, 0).length, Bytes(12));
  EXPECT_EQ(schedule.place(2, 0).length, Bytes(16));
  EXPECT_EQ(schedule.place(2, 0).offset, Bytes(24));
}

TEST(Schedule, BytesOfATransferAreThoseOfItsChunksAcrossBlocks) {
  // all_gather over 3 ranks of 3 * 28 B: blocks of 7 floats; channel 1 of 2 has floats 3..6 of each
  // block (floor(7/2) = 3), in 3 chunks of floor(4 i / 3) = 1 1 2 floats.
  const topology::Cluster cluster = make_cluster({.gpus = 3, .nics = 3}, 1);
  const Schedule schedule =
      with_channels(cluster, {.kind = Kind::all_gather, .bytes = Bytes(84)}, {3, 3});
  const auto bytes = [&](std::uint64_t first, std::uint64_t count) {
    return schedule
        .bytes(1, {.source = 0, .destination = 1, .first_chunk = first, .chunk_count = count})
        .count();
  };
  EXPECT_EQ(bytes(0, 1), 4);
  EXPECT_EQ(bytes(2, 1), 8);
  EXPECT_EQ(bytes(1, 2), 12);
  EXPECT_EQ(bytes(2, 2), 12);  // the last of block 0 and the first of block 1
  EXPECT_EQ(bytes(0, 9), 48);
  EXPECT_EQ(schedule.place(1, 5).block, 1U);
}

TEST(Schedule, HugeBuffersAreCutExactly) {
  // 2^50 bytes over 131,072 pieces: 2^33 each, although 2^48 elements x 2^17 exceeds 64 bits.
  const topology::Cluster cluster = make_cluster({.gpus = 2, .nics = 2}, 1);
  const Schedule schedule =
      with_channels(cluster, {.bytes = Bytes(std::int64_t{1} << 50)}, {1U << 17});
  EXPECT_EQ(schedule.place(0, (1U << 17) - 1).length.count(), std::int64_t{1} << 33);
  EXPECT_EQ(schedule.place(0, (1U << 17) - 1).offset.count(), ((std::int64_t{1} << 17) - 1) << 33);
}

TEST(Schedule, CountsTransfersOfAllChannels) {
  // Ring all_reduce over 8 ranks on one node: 2 (8-1) turns x 8 transfers x 3 channels.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 1);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(4096)}, {.channels = 3}));
  EXPECT_EQ(schedule.transfer_count(), 3U * 14 * 8);
}

TEST(Schedule, ReducersAreParticipantsAfterTheRanks) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 1);
  const Schedule schedule = build_schedule("nvls", make_request(cluster, {.bytes = Bytes(4096)}));
  EXPECT_EQ(schedule.participants(), 5U);
  EXPECT_TRUE(schedule.is_reducer(4));
  EXPECT_EQ(schedule.device(cluster, 4), cluster.nvswitch(NodeId(0)));
  EXPECT_EQ(schedule.device(cluster, 3), cluster.gpu(Rank(3)));
}

TEST(Measurement, BusBandwidthOfARingAllReduce) {
  // 8 ranks, 1 GB in 10 ms: algbw 100 GB/s, busbw 100 x 2 x 7/8 = 175 GB/s.
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 1);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1'000'000'000)}));
  const TaskResult result{.start = Time::milliseconds(5),
                          .finish = Time::milliseconds(15),
                          .bound_by = {.text = "x", .link = {}}};
  const Measurement row = measure(schedule, result, "flow", 3);
  EXPECT_EQ(row.collective, "all_reduce");
  EXPECT_EQ(row.algorithm, "ring");
  EXPECT_EQ(row.fidelity, "flow");
  EXPECT_EQ(row.time, Time::milliseconds(10));
  EXPECT_DOUBLE_EQ(row.algbw_GBps, 100);
  EXPECT_DOUBLE_EQ(row.busbw_GBps, 175);
  EXPECT_EQ(row.bound_by, "x");
}

TEST(Group, RefusesRanksBeyondTheClusterAndRepeatedOnesTogether) {
  const topology::Cluster cluster = make_cluster({.gpus = 2, .nics = 2}, 1);
  try {
    const Group group(cluster, {Rank(0), Rank(5), Rank(0)});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 2U);
  }
  EXPECT_THROW(Group(cluster, {}), InputError);
  EXPECT_THROW((void)Group::first(cluster, 3), InputError);
}

TEST(Group, KnowsItsNodesInOrderOfAppearance) {
  const topology::Cluster cluster = make_cluster({.gpus = 2, .nics = 2}, 3);
  const Group group(cluster, {Rank(4), Rank(0), Rank(5), Rank(1)});
  ASSERT_EQ(group.nodes().size(), 2U);
  EXPECT_EQ(group.nodes()[0].node, NodeId(2));
  const auto first = group.members(group.nodes()[0]);
  EXPECT_EQ(std::vector(first.begin(), first.end()), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(group.node_index(3), 1U);
}

TEST(RankOrder, BlocksAlternateOnOddNodes) {
  const RankOrder order = RankOrder::blocks(3, {0, 2, 1}, {1, 2, 0});
  std::vector<std::uint32_t> found;
  for (std::uint32_t place = 0; place < order.size(); ++place) found.push_back(order[place]);
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 2, 1, 4, 5, 3, 6, 8, 7}));
}

}  // namespace
}  // namespace railyard::collectives
