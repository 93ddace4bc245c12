#include "hw/local/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using collectives::Action;
using collectives::Collective;
using collectives::Kind;
using collectives::Transfer;
using testing::channel_of;
using testing::cluster_of;
using testing::schedule_of;

Transfer copy(std::uint32_t from, std::uint32_t to, std::uint64_t chunk = 0,
              std::uint64_t count = 1) {
  return {.source = from, .destination = to, .first_chunk = chunk, .chunk_count = count};
}

Transfer reduce(std::uint32_t from, std::uint32_t to, std::uint64_t chunk = 0) {
  return {.source = from, .destination = to, .first_chunk = chunk, .action = Action::reduce};
}

bool waits(const TaskGraph& graph, OperationId first, OperationId then) {
  const auto next = graph.successors(first);
  return std::find(next.begin(), next.end(), then) != next.end();
}

TEST(Compile, ATransferWaitsForWhatItsSourceMustHold) {
  const auto cluster = cluster_of(1, 4);
  const auto program =
      compile(schedule_of(cluster, 3, {.kind = Kind::broadcast, .bytes = Bytes(64)},
                          channel_of({{copy(0, 1)}, {copy(1, 2)}}, 1)));
  ASSERT_EQ(program.operations.size(), 2u);
  EXPECT_TRUE(waits(program.graph, 0, 1));
  EXPECT_EQ(program.graph.roots(), std::vector<OperationId>{0});
}

TEST(Compile, AChunkIsNotOverwrittenBeforeItsReadersAreDone) {
  // 1 -> 2 reads what 0 -> 1 overwrites in the next step.
  const auto cluster = cluster_of(1, 4);
  const auto program =
      compile(schedule_of(cluster, 3, {.kind = Kind::all_reduce, .bytes = Bytes(64)},
                          channel_of({{reduce(1, 2)}, {copy(0, 1)}}, 1)));
  EXPECT_TRUE(waits(program.graph, 0, 1));
}

TEST(Compile, PartnersThatSwapAreStaged) {
  // Both read what the other writes in the same step: two halves each, the first halves at once.
  const auto cluster = cluster_of(1, 2);
  const auto program =
      compile(schedule_of(cluster, 2, {.kind = Kind::all_reduce, .bytes = Bytes(64)},
                          channel_of({{reduce(0, 1), reduce(1, 0)}}, 1)));
  ASSERT_EQ(program.operations.size(), 4u);
  EXPECT_EQ(program.graph.roots().size(), 2u);
}

TEST(Compile, ContiguousChunksAreOneMove) {
  const auto cluster = cluster_of(1, 2);
  const auto program =
      compile(schedule_of(cluster, 2, {.kind = Kind::broadcast, .bytes = Bytes(400)},
                          channel_of({{copy(0, 1, 0, 4)}}, 4)));
  ASSERT_EQ(program.moves.size(), 1u);
  EXPECT_EQ(program.moves[0].bytes, 400u);
}

TEST(Compile, SendingWhatNobodyBroughtIsRefused) {
  const auto cluster = cluster_of(1, 3);
  const auto schedule = schedule_of(cluster, 3, {.kind = Kind::broadcast, .bytes = Bytes(64)},
                                    channel_of({{copy(1, 2)}, {copy(0, 1)}}, 1));
  try {
    (void)compile(schedule);
    FAIL() << "it was compiled";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(
        error.what(),
        "schedule 'written': participant 1 sends chunk 0 of channel 0 to 2 before anything "
        "is in it");
  }
}

}  // namespace
}  // namespace railyard::hw
