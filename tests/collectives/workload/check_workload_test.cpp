#include "collectives/workload/check_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/workload/workload_builder.hpp"

namespace railyard::collectives {
namespace {

using namespace literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// One program per rank, and the families "even" {0, 1} and "odd" {0, 1} of two ranks.
class TwoRanks : public RankPrograms {
 public:
  TwoRanks()
      : RankPrograms(2,
                     {{.name = "even", .groups = {{0, 1}}}, {.name = "odd", .groups = {{0, 1}}}}) {}
};

std::uint32_t sum(ProgramBuilder& program, std::uint32_t family, Bytes bytes = 1_MB,
                  Kind kind = Kind::all_reduce) {
  return program.add("sum", {.kind = OperationKind::collective,
                             .collective = kind,
                             .stream = program.stream("s"),
                             .family = family,
                             .bytes = bytes});
}
std::uint32_t message(ProgramBuilder& program, OperationKind kind, int peer, Bytes bytes = 1_MB,
                      std::uint32_t tag = 0, std::string_view stream = "s") {
  return program.add(
      "message",
      {.kind = kind, .stream = program.stream(stream), .peer = peer, .tag = tag, .bytes = bytes});
}

std::string found(TwoRanks& ranks) {
  std::string all;
  for (const Diagnostic& one : check_workload(ranks.workload())) all += one.message + "\n";
  return all;
}

TEST(CheckWorkload, AcceptsWhatEnds) {
  TwoRanks ranks;
  for (const std::size_t rank : {0, 1}) {
    sum(ranks[rank], 0);
    message(ranks[rank], rank == 0 ? OperationKind::send : OperationKind::receive,
            rank == 0 ? 1 : 0);
  }
  EXPECT_THAT(found(ranks), IsEmpty());
}

TEST(CheckWorkload, NamesASendThatNobodyReceives) {
  TwoRanks ranks;
  message(ranks[0], OperationKind::send, 1);
  EXPECT_THAT(found(ranks),
              HasSubstr("rank 0, operation 0 'message' (send): rank 1 never receives"));
}

TEST(CheckWorkload, NamesAReceiveOfAnotherTag) {
  TwoRanks ranks;
  message(ranks[0], OperationKind::send, 1, 1_MB, 1);
  message(ranks[1], OperationKind::receive, 0, 1_MB, 2);
  EXPECT_THAT(found(ranks), AllOf(HasSubstr("rank 1 never receives it (tag 1)"),
                                  HasSubstr("rank 0 never sends it (tag 2)")));
}

TEST(CheckWorkload, NamesMessagesWhoseSidesDisagreeInBytes) {
  TwoRanks ranks;
  message(ranks[0], OperationKind::send, 1, 1_MB);
  message(ranks[1], OperationKind::receive, 0, 2_MB);
  EXPECT_THAT(found(ranks), HasSubstr("sends 1 MB, but rank 1, operation 0 'message' (receive) "
                                      "expects 2 MB"));
}

TEST(CheckWorkload, NamesARankThatLeavesACollectiveOut) {
  TwoRanks ranks;
  sum(ranks[0], 0);
  sum(ranks[0], 0);
  sum(ranks[1], 0);
  EXPECT_THAT(found(ranks),
              HasSubstr("rank 0, operation 1 'sum' (collective): rank 1 of its group 'even'"));
}

TEST(CheckWorkload, NamesCollectivesThatDisagree) {
  TwoRanks ranks;
  sum(ranks[0], 0, 1_MB);
  sum(ranks[0], 0, 1_MB, Kind::all_gather);
  sum(ranks[1], 0, 1_MB, Kind::all_gather);
  sum(ranks[1], 0, 1_MB);
  EXPECT_THAT(found(ranks), HasSubstr("all_reduce of 1 MB, but rank 1, operation 0 'sum' "
                                      "(collective) meets it with all_gather of 1 MB"));
}

TEST(CheckWorkload, FindsTheDeadlockOfTwoCommunicators) {
  // Rank 0 comes to "even" first and waits there for rank 1, which waits in "odd" for rank 0.
  TwoRanks ranks;
  sum(ranks[0], 0);
  sum(ranks[0], 1);
  sum(ranks[1], 1);
  sum(ranks[1], 0);
  EXPECT_THAT(found(ranks), AllOf(HasSubstr("deadlock"), HasSubstr("rank 0, operation 0"),
                                  HasSubstr("rank 1, operation 0")));
}

TEST(CheckWorkload, FindsSendsThatWaitForEachOther) {
  // Both send first, on the stream on which they receive behind it.
  TwoRanks ranks;
  for (const std::size_t rank : {0, 1}) {
    message(ranks[rank], OperationKind::send, rank == 0 ? 1 : 0);
    message(ranks[rank], OperationKind::receive, rank == 0 ? 1 : 0);
  }
  EXPECT_THAT(found(ranks), HasSubstr("deadlock"));
  // With a stream for each direction they pass.
  for (const std::size_t rank : {0, 1}) {
    message(ranks[rank], OperationKind::send, rank == 0 ? 1 : 0, 1_MB, 0, "to");
    message(ranks[rank], OperationKind::receive, rank == 0 ? 1 : 0, 1_MB, 0, "from");
  }
  EXPECT_THAT(found(ranks), IsEmpty());
}

TEST(CheckWorkload, FindsADependencyOnALaterOperationOfTheStream) {
  TwoRanks ranks;
  const std::vector<Dependency> later{{.operation = 1}};
  ranks[0].add("first", {.stream = ranks[0].stream("s")}, std::span<const Dependency>(later));
  ranks[0].add("second", {.stream = ranks[0].stream("s")});
  EXPECT_THAT(found(ranks),
              AllOf(HasSubstr("'first'"), HasSubstr("waits for"), HasSubstr("'second'")));
}

std::string refusal(Workload::Parts parts) {
  try {
    const Workload workload(std::move(parts));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Workload, NamesMissingRanksAndRanksOutOfRange) {
  Workload::Parts parts{.ranks = 3};
  parts.programs.resize(1);
  parts.roles = {{.name = "stage", .program = 0, .ranks = {0, 0, 7}}};
  EXPECT_THAT(refusal(parts), AllOf(HasSubstr("rank 1 is missing"), HasSubstr("rank 2 is missing"),
                                    HasSubstr("rank 7 does not exist"),
                                    HasSubstr("rank 0 already has role 'stage'")));
}

TEST(Workload, NamesACommunicationOfARankOutsideTheFamily) {
  NameTable names;
  ProgramBuilder program(names);
  sum(program, 0);
  Workload::Parts parts{.ranks = 3};
  parts.families = {{.name = "pair", .groups = {{0, 1}}}};
  parts.programs = {program.take()};
  parts.roles = {{.name = "", .program = 0, .ranks = {0, 1, 2}}};
  parts.names = names.names();
  EXPECT_THAT(refusal(parts), HasSubstr("rank 2, operation 0 'sum' (collective): no group of "
                                        "'pair' holds the rank"));
}

TEST(Workload, SideBySideShiftsRanksAndDelaysTheLaterJob) {
  TwoRanks ranks;
  for (const std::size_t rank : {0, 1}) sum(ranks[rank], 0);
  const Workload job = ranks.workload();
  const std::vector<WorkloadJob> jobs{{job, "a", Time()}, {job, "b", 3_ms}};
  const Workload both = side_by_side(jobs);
  ASSERT_EQ(both.ranks(), 4u);
  EXPECT_EQ(both.families()[2].name, "b: even");
  EXPECT_EQ(both.families()[2].groups[0], (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(both.program_of(2).operations[0].duration, 3_ms);
  EXPECT_EQ(both.operation_count(), 2u + 4u);
  EXPECT_THAT(check_workload(both), IsEmpty());
}

}  // namespace
}  // namespace railyard::collectives
