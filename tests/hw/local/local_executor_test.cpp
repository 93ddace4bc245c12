#include "hw/local/local_executor.hpp"

#include <gtest/gtest.h>

#include "collectives/algorithms/algorithm.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using collectives::Action;
using collectives::Collective;
using collectives::DataType;
using collectives::Kind;
using collectives::ReduceOp;
using collectives::Schedule;
using collectives::Task;
using collectives::Transfer;
using testing::channel_of;
using testing::cluster_of;
using testing::schedule_of;

collectives::Run run(LocalExecutor& executor, const Schedule& schedule) {
  const Task task{.schedule = &schedule, .start = Time(), .name = "t"};
  return executor.run({&task, 1});  // throws where an element is wrong
}

struct Shape {
  int nodes, gpus;
};

/// Elements that no number of ranks or channels divides evenly, in each of the blocks.
Bytes uneven_bytes(Kind kind, std::uint32_t ranks, Bytes element) {
  const bool in_blocks =
      kind == Kind::all_gather || kind == Kind::reduce_scatter || kind == Kind::all_to_all;
  return element * (in_blocks ? 1009LL * ranks : 10007LL);
}

void run_every_algorithm(const topology::Cluster& cluster, Collective collective,
                         LocalExecutor& executor) {
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  collective.bytes = uneven_bytes(collective.kind, group->size(), size_of(collective.type));
  int ran = 0;
  for (const collectives::Algorithm& algorithm : collectives::algorithms()) {
    const collectives::Request request{
        .cluster = cluster, .group = group, .collective = collective, .options = {}};
    if (!algorithm.supports(collective.kind) || !algorithm.why_not(request).empty()) continue;
    SCOPED_TRACE(std::string(algorithm.name));
    EXPECT_NO_THROW(run(executor, algorithm.build(request)));
    ++ran;
  }
  EXPECT_GT(ran, 0);
}

TEST(LocalExecutor, EveryAlgorithmOfEveryKindGivesTheRightResult) {
  LocalExecutor executor({.threads = 3, .timeline = false, .seed = 9});
  for (const Shape shape : {Shape{1, 1}, Shape{1, 2}, Shape{1, 7}, Shape{2, 1}, Shape{2, 4},
                            Shape{3, 5}, Shape{4, 4}}) {
    const auto cluster = cluster_of(shape.nodes, shape.gpus);
    for (const auto& [kind, name] : core::EnumNames<Kind>::table) {
      SCOPED_TRACE(std::string(name) + " on " + std::to_string(shape.nodes) + " nodes of " +
                   std::to_string(shape.gpus));
      Collective collective{.kind = kind, .bytes = Bytes(), .type = DataType::float32};
      collective.root = static_cast<std::uint32_t>(cluster.rank_count() - 1);
      run_every_algorithm(cluster, collective, executor);
    }
  }
}

TEST(LocalExecutor, EveryTypeAndOperationIsReduced) {
  LocalExecutor executor({.threads = 2, .timeline = false, .seed = 2});
  const auto cluster = cluster_of(2, 3);
  for (const auto& [type, type_name] : core::EnumNames<DataType>::table) {
    for (const auto& [op, op_name] : core::EnumNames<ReduceOp>::table) {
      for (const Kind kind : {Kind::all_reduce, Kind::reduce_scatter}) {
        SCOPED_TRACE(std::string(type_name) + " " + std::string(op_name));
        run_every_algorithm(cluster, {.kind = kind, .bytes = Bytes(), .type = type, .op = op},
                            executor);
      }
    }
  }
}

TEST(LocalExecutor, HundredsOfRanks) {
  LocalExecutor executor({.threads = 2, .timeline = false, .seed = 1});
  run_every_algorithm(cluster_of(32, 8), {.kind = Kind::all_reduce, .bytes = Bytes()}, executor);
}

TEST(LocalExecutor, AReducerIsABufferThatStartsEmpty) {
  // Three ranks reduce into a switch, which copies the sum back: participant 3 brings nothing
  // itself.
  const auto cluster = cluster_of(3, 1);
  std::vector<Transfer> up, down;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    up.push_back({.source = rank, .destination = 3, .action = Action::reduce});
    down.push_back({.source = 3, .destination = rank});
  }
  LocalExecutor executor;
  EXPECT_NO_THROW(
      run(executor, schedule_of(cluster, 3, {.kind = Kind::all_reduce, .bytes = Bytes(4000)},
                                channel_of({up, down}, 1), {cluster.gpu(Rank(0))})));
}

TEST(LocalExecutor, ARelayHandsOnWithoutKeeping) {
  // 0 sends its block to 2 through 1's memory; 1's own block, on its way to 0, is not touched.
  const auto cluster = cluster_of(1, 3);
  std::vector<Transfer> transfers{{.source = 0, .destination = 1, .first_chunk = 0},
                                  {.source = 1, .destination = 2, .first_chunk = 1, .relay = 0},
                                  {.source = 2, .destination = 0, .first_chunk = 2, .relay = 1}};
  LocalExecutor executor;
  EXPECT_NO_THROW(
      run(executor, schedule_of(cluster, 3, {.kind = Kind::send_recv, .bytes = Bytes(4000)},
                                channel_of({transfers}, 1))));
}

TEST(LocalExecutor, AWrongResultNamesRankOffsetExpectedAndGot) {
  // Rank 1 never gets rank 0's part: it keeps what it brought.
  const auto cluster = cluster_of(1, 2);
  const auto schedule = schedule_of(
      cluster, 2, {.kind = Kind::all_reduce, .bytes = Bytes(40), .type = DataType::int32},
      channel_of({{{.source = 1, .destination = 0, .action = Action::reduce}}}, 1));
  LocalExecutor executor;
  try {
    (void)run(executor, schedule);
    FAIL() << "it was accepted";
  } catch (const BackendError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("all_reduce with 'written'"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1, block 0, byte offset 0: expected "), std::string::npos) << text;
    EXPECT_NE(text.find(", got "), std::string::npos) << text;
  }
}

TEST(LocalExecutor, MoreMemoryThanThereIsIsSaidBeforeItIsTaken) {
  // Two buffers of 2^50 bytes: no machine has 2 PiB.
  const auto cluster = cluster_of(1, 2);
  const auto schedule =
      schedule_of(cluster, 2, {.kind = Kind::broadcast, .bytes = Bytes(1LL << 50)},
                  channel_of({{{.source = 0, .destination = 1}}}, 1));
  LocalExecutor executor;
  try {
    (void)run(executor, schedule);
    FAIL() << "it ran";
  } catch (const BackendError& error) {
    EXPECT_NE(std::string(error.what()).find("need 2097152.0 GiB of memory"), std::string::npos)
        << error.what();
  }
}

TEST(LocalExecutor, TasksStartWhenTheySayAndLeaveATimeline) {
  using namespace literals;
  const auto cluster = cluster_of(1, 2);
  const auto schedule = schedule_of(cluster, 2, {.kind = Kind::broadcast, .bytes = Bytes(800)},
                                    channel_of({{{.source = 0, .destination = 1}}}, 1));
  const std::vector<Task> tasks{
      {.schedule = &schedule, .start = Time(), .name = "a"},
      {.schedule = &schedule, .start = Time::milliseconds(20), .name = "b"}};
  LocalExecutor executor({.threads = 1, .timeline = true, .seed = 1});
  const auto run = executor.run(tasks);
  ASSERT_EQ(run.tasks.size(), 2u);
  EXPECT_GE(run.tasks[1].finish, Time::milliseconds(20));
  ASSERT_EQ(run.timeline.size(), 2u);
  EXPECT_EQ(run.timeline[0].track, "a / rank 0");
  EXPECT_EQ(run.timeline[0].name, "channel 0: copy to rank 1");
  EXPECT_EQ(run.timeline[0].bytes, 800_B);
  EXPECT_LE(run.timeline[0].begin, run.timeline[0].end);
  EXPECT_GE(run.timeline[1].begin, Time::milliseconds(20));
}

}  // namespace
}  // namespace railyard::hw
