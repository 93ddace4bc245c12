#include "hw/nccl/rank_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collectives/algorithms/algorithm.hpp"
#include "tests/hw/schedules.hpp"

namespace railyard::hw::nccl {
namespace {

using collectives::Kind;
using collectives::Transfer;
using testing::channel_of;
using testing::cluster_of;
using testing::schedule_of;

std::uint64_t bytes_of(const RankProgram& program, bool sends, std::uint32_t peer) {
  std::uint64_t bytes = 0;
  for (const Exchange& message : program.messages)
    if (message.sends == sends && message.peer == peer) bytes += message.bytes;
  return bytes;
}

/// Rank 0's buffer to rank 3 through rank 1, of a send_recv among four.
collectives::Schedule relayed(const topology::Cluster& cluster, std::int64_t bytes) {
  return schedule_of(
      cluster, 4,
      {.kind = Kind::send_recv, .bytes = Bytes(bytes), .type = collectives::DataType::int8},
      channel_of({{Transfer{.source = 0, .destination = 3, .first_chunk = 0, .relay = 1}}}, 1));
}

TEST(RankProgram, ARelaySendsAPartWhileItReceivesTheNext) {
  const auto cluster = cluster_of(2, 2);
  // 4000 bytes in parts of at least 1000: four, of 1024 (a whole number of lines of 64) and 928.
  const auto schedule = relayed(cluster, 4000);
  const RankProgram source = compile_rank(schedule, 0, 1000);
  const RankProgram relay = compile_rank(schedule, 1, 1000);
  const RankProgram destination = compile_rank(schedule, 3, 1000);
  EXPECT_EQ(source.rounds.size(), 4u);
  EXPECT_EQ(destination.rounds.size(), 4u);
  ASSERT_EQ(relay.rounds.size(), 5u);  // not 8: it forwards part k while part k + 1 comes
  for (std::size_t round = 0; round < 5; ++round) {
    const auto messages = relay.messages_of(relay.rounds[round]);
    const auto sent = std::ranges::count(messages, true, &Exchange::sends);
    EXPECT_EQ(sent, round == 0 ? 0 : 1) << round;
    EXPECT_EQ(static_cast<long>(messages.size()) - sent, round == 4 ? 0 : 1) << round;
  }
  EXPECT_EQ(source.messages[0].bytes, 1024u);
  EXPECT_EQ(source.messages[3].bytes, 928u);
  EXPECT_EQ(bytes_of(source, true, 1), 4000u);
  EXPECT_EQ(bytes_of(relay, false, 0), 4000u);
  EXPECT_EQ(bytes_of(relay, true, 3), 4000u);
  EXPECT_EQ(bytes_of(destination, false, 1), 4000u);
}

TEST(RankProgram, SmallAndDirectMessagesGoAtOnce) {
  const auto cluster = cluster_of(2, 2);
  const auto schedule = relayed(cluster, 1999);
  EXPECT_EQ(compile_rank(schedule, 0, 1000).rounds.size(), 1u);
  EXPECT_EQ(compile_rank(schedule, 1, 1000).rounds.size(), 2u);
  const auto direct = schedule_of(
      cluster, 4,
      {.kind = Kind::send_recv, .bytes = Bytes(4000), .type = collectives::DataType::int8},
      channel_of({{Transfer{.source = 0, .destination = 3, .first_chunk = 0}}}, 1));
  EXPECT_EQ(compile_rank(direct, 0, 1000).rounds.size(), 1u);
}

TEST(RankProgram, NoMessageHasMoreThanEightParts) {
  const auto cluster = cluster_of(2, 2);
  EXPECT_EQ(compile_rank(relayed(cluster, 100'000), 0, 1000).rounds.size(), 8u);
}

/// Messages of a round match between every two ranks, in order and size: what NCCL needs.
TEST(RankProgram, BothEndsOfEveryMessageAgree) {
  const auto cluster = cluster_of(3, 3);
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  const auto schedule =
      collectives::find_algorithm("rail_pxn")
          ->build({.cluster = cluster,
                   .group = group,
                   .collective = {.kind = Kind::all_to_all, .bytes = Bytes(9 * 5000)},
                   .options = {}});
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>> sent, received;
  for (std::uint32_t rank = 0; rank < 9; ++rank) {
    const RankProgram program = compile_rank(schedule, rank, 1000);
    for (const Exchange& message : program.messages) {
      if (message.sends)
        sent[{rank, message.peer}].push_back(message.bytes);
      else
        received[{message.peer, rank}].push_back(message.bytes);
    }
  }
  EXPECT_EQ(sent, received);
  EXPECT_FALSE(sent.empty());
}

}  // namespace
}  // namespace railyard::hw::nccl
