#include "collectives/workload/slow_rank.hpp"

#include <gtest/gtest.h>

namespace railyard::collectives {
namespace {

Workload two_ranks() {
  Program program{
      .streams = {"compute"},
      .operations = {{.kind = OperationKind::compute, .duration = Time::milliseconds(9)},
                     {.kind = OperationKind::host, .duration = Time::milliseconds(1)}},
      .after = {},
      .after_ends = {0, 0}};
  return Workload({.ranks = 3,
                   .names = {"step"},
                   .families = {},
                   .programs = {program},
                   .roles = {{.name = "all", .program = 0, .ranks = {0, 1, 2}}}});
}

TEST(WithSlowRank, GivesOneRankLongerComputation) {
  const Workload slow = with_slow_rank(two_ranks(), 1, 0.9);
  ASSERT_EQ(slow.roles().size(), 2U);
  EXPECT_EQ(slow.roles()[0].ranks, (std::vector<std::uint32_t>{0, 2}));
  // 9 ms / 0.9; the host is as fast as before.
  EXPECT_EQ(slow.program_of(1).operations[0].duration, Time::milliseconds(10));
  EXPECT_EQ(slow.program_of(1).operations[1].duration, Time::milliseconds(1));
  EXPECT_EQ(slow.program_of(0).operations[0].duration, Time::milliseconds(9));
  EXPECT_EQ(slow.program_of(2).operations[0].duration, Time::milliseconds(9));
}

TEST(WithSlowRank, KeepsARoleOfOneRank) {
  const Workload once = with_slow_rank(two_ranks(), 1, 0.9);
  const Workload twice = with_slow_rank(once, 1, 0.5);
  ASSERT_EQ(twice.roles().size(), 2U);
  EXPECT_EQ(twice.program_of(1).operations[0].duration, Time::milliseconds(20));
}

}  // namespace
}  // namespace railyard::collectives
