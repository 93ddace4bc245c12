#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/formats/export_goal.hpp"
#include "collectives/formats/traces/goal_export.hpp"
#include "collectives/formats/traces/goal_program.hpp"
#include "collectives/formats/traces/goal_workload.hpp"
#include "collectives/workload/check_workload.hpp"
#include "collectives/workload/load_schedules.hpp"
#include "collectives/workload/program_builder.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/test_clusters.hpp"
#include "tests/collectives/workload/workload_builder.hpp"

namespace railyard::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTwoRanks = R"(num_ranks 2
/* rank 0 computes
   and sends */
rank 0 {
  a: calc 1500 cpu 3   // 1.5 us
  b: send 4096b to 1 tag 7 cpu 1 nic 2
  b requires a
  c: calc 10
  c irequires b
}
rank 1 {
  r: recv 4096b from 0 tag 7
}
)";

std::string error_of(const std::string& text) {
  try {
    (void)workload_of_goal(read_goal(text, "x.goal"), "x.goal");
  } catch (const InputError& error) {
    return to_text(error.diagnostics().front());
  }
  return "";
}

TEST(GoalProgram, HasOperationsOptionsAndDependencies) {
  const GoalProgram program = read_goal(kTwoRanks, "x.goal");
  ASSERT_EQ(program.ranks.size(), 2U);
  const GoalRank& rank = program.ranks[0];
  ASSERT_EQ(rank.operations.size(), 3U);
  EXPECT_EQ(rank.operations[0].amount, 1500U);
  EXPECT_EQ(rank.operations[0].cpu, 3);
  EXPECT_EQ(rank.operations[0].line, 5U) << "comments over several lines count";
  EXPECT_EQ(rank.operations[1].type, GoalType::send);
  EXPECT_EQ(rank.operations[1].peer, 1U);
  EXPECT_EQ(rank.operations[1].tag, 7U);
  EXPECT_EQ(rank.operations[1].nic, 2);
  ASSERT_EQ(rank.dependencies.size(), 2U);
  EXPECT_FALSE(rank.dependencies[0].after_start);
  EXPECT_TRUE(rank.dependencies[1].after_start);
}

TEST(GoalProgram, BecomesAWorkloadWithThoseDependencies) {
  const ImportedWorkload imported = workload_of_goal(read_goal(kTwoRanks, "x.goal"), "x.goal");
  const Workload& workload = imported.workload;
  EXPECT_TRUE(check_workload(workload).empty());
  const Program& program = workload.program_of(0);
  ASSERT_EQ(program.operations.size(), 3U);
  EXPECT_EQ(program.operations[0].duration, Time::nanoseconds(1500));
  EXPECT_EQ(program.streams[program.operations[0].stream], "cpu 3");
  EXPECT_EQ(program.operations[1].stream, Operation::kUnordered);
  EXPECT_EQ(program.dependencies(1).front().operation, 0U);
  EXPECT_TRUE(program.dependencies(2).front().on_begin);
  EXPECT_EQ(workload.peer(workload.program_of(1).operations[0], 1), 0U);
}

TEST(GoalProgram, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n calc x\n}\n"), HasSubstr("line 3"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n a: calc 1\n a: calc 1\n}\n"), HasSubstr("twice"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n a: calc 1\n a requires b\n}\n"),
              HasSubstr("line 4: there is no operation 'b'"));
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\n send 1b to 2\n}\nrank 1 {\n}\n"),
              HasSubstr("line 3: there is no rank 2"));
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\n}\n"), HasSubstr("expected 'rank 1'"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n calc 1\n"), HasSubstr("does not end"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n calc 1 tag 2\n}\n"), HasSubstr("option"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n /* calc\n}\n"), HasSubstr("comment"));
  EXPECT_THAT(error_of("num_ranks 99999999\n"), HasSubstr("from 0 to 1048576"));
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\n send 1b to 0\n}\nrank 1 {\n}\n"),
              HasSubstr("sends to itself"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\n calc 1\n}\nrank 1 {\n}\n"),
              HasSubstr("behind the last"));
  EXPECT_EQ(error_of(kTwoRanks), "");
}

TEST(GoalProgram, WhoseOperationsWaitForEachOtherIsRejected) {
  EXPECT_THAT(
      error_of("num_ranks 1\nrank 0 {\n a: calc 1\n b: calc 1\n a requires b\n b requires a\n}\n"),
      HasSubstr("line 3: 2 operations of rank 0 wait for each other"));
}

TEST(GoalProgram, WithoutAReceiveForASendDoesNotComplete) {
  const ImportedWorkload imported = workload_of_goal(
      read_goal("num_ranks 2\nrank 0 {\n send 8b to 1\n}\nrank 1 {\n}\n", "x"), "x");
  EXPECT_FALSE(check_workload(imported.workload).empty());
}

// Rank 2 receives 8 bytes from anyone twice, and 16 from rank 0 with a tag: the named receive keeps
// its send, the wildcards get those that are left, rank 0's first.
TEST(GoalProgram, ReceivesFromAnyoneGetTheSendsThatAreLeft) {
  const std::string text = R"(num_ranks 3
rank 0 {
 send 16b to 2 tag 5
 send 8b to 2 tag 1
}
rank 1 {
 send 8b to 2 tag 1
}
rank 2 {
 recv 8b from -1 tag -1
 recv 16b from 0 tag 5
 recv 8b from -1 tag 1
}
)";
  const ImportedWorkload imported = workload_of_goal(read_goal(text, "x"), "x");
  const Workload& workload = imported.workload;
  EXPECT_TRUE(check_workload(workload).empty());
  EXPECT_EQ(imported.notes.size(), 1U);
  const Program& program = workload.program_of(2);
  EXPECT_EQ(workload.peer(program.operations[0], 2), 0U);
  EXPECT_EQ(workload.peer(program.operations[2], 2), 1U);
  EXPECT_THAT(error_of("num_ranks 2\nrank 0 {\n}\nrank 1 {\n recv 8b from -1\n}\n"),
              HasSubstr("line 5: no send is left"));
}

// A ring all-reduce of n ranks sends 2 (n - 1) chunks from each rank on each channel; all ranks run
// the same program.
TEST(GoalProgram, OfAnExportedRingCompletes) {
  const topology::Cluster cluster = testing::make_cluster({.gpus = 4, .nics = 4}, 1);
  const Schedule schedule = build_schedule(
      "ring", testing::make_request(cluster, {.kind = Kind::all_reduce, .bytes = Bytes(9'600)},
                                    {.channels = 1}));
  const ImportedWorkload imported =
      workload_of_goal(read_goal(export_goal(schedule), "ring.goal"), "ring.goal");
  EXPECT_TRUE(check_workload(imported.workload).empty());
  EXPECT_EQ(imported.workload.operation_count(), 2 * schedule.transfer_count());
  std::int64_t sent = 0;
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    for (const Operation& operation : imported.workload.program_of(rank).operations)
      if (operation.kind == OperationKind::send) sent += operation.bytes.count();
  EXPECT_EQ(sent, 4 * 2 * 3 * 9'600 / 4);
}

/// Schedules of a ring on one channel for every load.
std::vector<std::unique_ptr<const Schedule>> ring_schedules(const topology::Cluster& cluster,
                                                            const Communications& loads) {
  std::vector<Rank> gpus;
  for (std::uint32_t rank = 0; rank < loads.workload().ranks(); ++rank) gpus.emplace_back(rank);
  return load_schedules(
      loads, cluster, gpus, [&](std::shared_ptr<const Group> group, const Collective& asked) {
        return build_schedule(asked.kind == Kind::send_recv ? "neighbour" : "ring",
                              {cluster, std::move(group), asked, {.channels = 1}});
      });
}

// Two ranks: rank 0 computes 2 us, both sum 8 bytes on a second stream, rank 1 sends 16 bytes back
// behind the begin of its sum. A ring of two moves halves of 4 bytes there and back, each behind
// what arrived before.
TEST(GoalExport, AWorkloadOfTwoRanksInFull) {
  NameTable names;
  ProgramBuilder first(names), second(names);
  const auto busy =
      first.add("work", {.stream = first.stream("compute"), .duration = Time::microseconds(2)});
  const Operation sum{
      .kind = OperationKind::collective, .collective = Kind::all_reduce, .bytes = Bytes(8)};
  const auto add_sum = [&](ProgramBuilder& to, std::initializer_list<std::uint32_t> after) {
    Operation its = sum;
    its.stream = to.stream("nccl");
    return to.add("sum", its, after);
  };
  (void)first.stream("nccl");
  add_sum(first, {busy});
  first.add("from 1", {.kind = OperationKind::receive,
                       .stream = Operation::kUnordered,
                       .peer = 1,
                       .bytes = Bytes(16)});
  (void)second.stream("compute");
  const auto its = add_sum(second, {});
  const std::array<Dependency, 1> behind{{{.operation = its, .on_begin = true}}};
  second.add(
      "to 0",
      {.kind = OperationKind::send, .stream = Operation::kUnordered, .peer = 0, .bytes = Bytes(16)},
      behind);
  Workload::Parts parts{.ranks = 2,
                        .names = names.names(),
                        .families = {{.name = "all", .groups = {{0, 1}}}},
                        .programs = {},
                        .roles = {{.name = "a", .program = 0, .ranks = {0}},
                                  {.name = "b", .program = 1, .ranks = {1}}}};
  parts.programs.push_back(first.take());
  parts.programs.push_back(second.take());
  const Workload workload(std::move(parts));
  const topology::Cluster cluster = testing::make_cluster({.gpus = 2, .nics = 2}, 1);
  const Communications loads(workload);
  const std::string text = goal_of_workload(loads, ring_schedules(cluster, loads));
  EXPECT_THAT(text, HasSubstr("num_ranks 2\nrank 0 {\nl0: calc 2000 cpu 0\n"));
  EXPECT_THAT(text, HasSubstr("recv 16b from 1 tag 2 cpu 0"));
  EXPECT_THAT(text, HasSubstr("irequires"));
  // Read back: the same computation; of the sum 2 messages of 4 bytes from each rank, and 16.
  const ImportedWorkload imported = workload_of_goal(read_goal(text, "x"), "x");
  EXPECT_TRUE(check_workload(imported.workload).empty());
  std::vector<std::int64_t> sent(2, 0);
  Time computed;
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    for (const Operation& operation : imported.workload.program_of(rank).operations) {
      if (operation.kind == OperationKind::send) sent[rank] += operation.bytes.count();
      computed += operation.duration;
    }
  EXPECT_EQ(sent[0], 8);
  EXPECT_EQ(sent[1], 8 + 16);
  EXPECT_EQ(computed, Time::microseconds(2));
}

// A barrier of n ranks is a message to the first and one back: 2 (n - 1), whatever the streams.
TEST(GoalExport, ABarrierIsAMessageThereAndBack) {
  const Workload workload =
      one_program({.ranks = 3, .families = all_ranks(3)},
                  [](ProgramBuilder& program) { all_reduce(program, "a", Bytes(0)); });
  const topology::Cluster cluster = testing::make_cluster({.gpus = 4, .nics = 4}, 1);
  const Communications loads(workload);
  const Workload back =
      workload_of_goal(read_goal(goal_of_workload(loads, ring_schedules(cluster, loads)), "x"), "x")
          .workload;
  EXPECT_TRUE(check_workload(back).empty());
  std::uint64_t messages = 0;
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    for (const Operation& operation : back.program_of(rank).operations)
      messages += operation.kind == OperationKind::send ? 1 : 0;
  EXPECT_EQ(messages, 4U);
}

TEST(FoldPrograms, RanksOfARingAreAlike) {
  std::string text = "num_ranks 3\n";
  for (int rank = 0; rank < 3; ++rank)
    text += "rank " + std::to_string(rank) + " {\n send 8b to " + std::to_string((rank + 1) % 3) +
            " tag 1\n recv 8b from " + std::to_string((rank + 2) % 3) + " tag 1\n}\n";
  const Workload ring = workload_of_goal(read_goal(text, "x"), "x").workload;
  ASSERT_EQ(ring.roles().size(), 1U);
  EXPECT_EQ(ring.peer(ring.program_of(2).operations[0], 2), 0U);
  EXPECT_TRUE(check_workload(ring).empty());
  EXPECT_EQ(workload_of_goal(read_goal(kTwoRanks, "x"), "x").workload.roles().size(), 2U);
}

}  // namespace
}  // namespace railyard::collectives
