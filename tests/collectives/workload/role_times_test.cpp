#include "collectives/workload/role_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/workload/last_classes.hpp"
#include "tests/collectives/workload/workload_builder.hpp"

namespace railyard::collectives {
namespace {

Time us(std::int64_t n) { return Time::microseconds(n); }

/// Two ranks that compute, reduce and compute.
Workload small() {
  return one_program({.ranks = 2, .families = {{.name = "dp", .groups = {{0, 1}}}}},
                     [](ProgramBuilder& program) {
                       compute(program, "f", us(10));
                       all_reduce(program, "comm", Bytes(100));
                       compute(program, "b", us(10));
                     });
}

OperationRun ran(std::int64_t begin, std::int64_t end) {
  return {.begin = us(begin), .start = us(begin), .end = us(end), .alone = us(end - begin)};
}

/// The ranks as two classes, of which the second ends last.
WorkloadRun run_of(Time total) {
  WorkloadRun run;
  run.total = total;
  run.classes.push_back({.role = 0,
                         .ranks = {0},
                         .operations = {ran(0, 8), ran(10, 18), ran(18, 24)},
                         .end = us(24)});
  run.classes.push_back({.role = 0,
                         .ranks = {1},
                         .operations = {ran(0, 10), ran(10, 18), ran(18, 26)},
                         .end = us(26)});
  return run;
}

TEST(RoleTimes, ARoleHasTheTimesOfItsLastRanks) {
  const Workload workload = small();
  const std::vector<RoleTimes> roles = role_times(workload, run_of(us(26)));
  ASSERT_EQ(roles.size(), 1U);
  EXPECT_EQ(roles[0].ranks, 2U);
  EXPECT_EQ(roles[0].end, us(26));
  EXPECT_EQ(roles[0].times.compute, us(18));  // 10 + 8, not 8 + 6
  EXPECT_EQ(roles[0].times.communication, us(8));
}

// Of one job the second class ends last; as jobs of their own each rank is the last of its job.
TEST(LastClasses, EachJobHasTheClassThatEndsLast) {
  using ::testing::ElementsAre;
  const WorkloadRun run = run_of(us(26));
  EXPECT_THAT(last_classes(run, [](std::uint32_t) { return "one"; }), ElementsAre(1));
  EXPECT_THAT(last_classes(run, [](std::uint32_t rank) { return std::to_string(rank); }),
              ElementsAre(0, 1));
}

// Rank 0 computes 8 + 6 us, rank 1 10 + 8 us; both reduce for 8 us.
TEST(LastClasses, TheLongestTimesAreThoseOfTheClasses) {
  const WorkloadRun run = run_of(us(26));
  EXPECT_EQ(longest_times(small(), run, {0}).compute, us(14));
  EXPECT_EQ(longest_times(small(), run, {0, 1}).compute, us(18));
  EXPECT_EQ(longest_times(small(), run, {0, 1}).exposed, us(8));
  EXPECT_EQ(longest_times(small(), run, {}).compute, us(0));
}

// f takes 10 us, the all-reduce 8 us, b 8 us of 26 us. Of a run of 2,000 us each is below 1 %.
TEST(RolePathShares, SmallPartsAreJoined) {
  const Workload workload = small();
  WorkloadRun run = run_of(us(26));
  run.critical_path = {{{1, 0}, WaitCause::none, us(0), us(10)},
                       {{1, 1}, WaitCause::dependency, us(10), us(18)},
                       {{1, 2}, WaitCause::stream, us(18), us(26)}};
  const std::vector<RolePathShare> shares = role_path_shares(workload, run);
  ASSERT_EQ(shares.size(), 2U);
  Time sum;
  for (const RolePathShare& share : shares) {
    sum += share.time;
    const bool is_compute = share.what == "compute";
    EXPECT_EQ(share.what, is_compute ? "compute" : "all_reduce");
    EXPECT_EQ(share.operations, is_compute ? 2 : 1);
    EXPECT_NEAR(share.share, is_compute ? 18.0 / 26 : 8.0 / 26, 1e-12);
  }
  EXPECT_EQ(sum, us(26));
  run.total = us(2000);
  const std::vector<RolePathShare> joined = role_path_shares(workload, run);
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined[0].role, "all");
  EXPECT_EQ(joined[0].operations, 3);
  EXPECT_EQ(joined[0].time, us(26));
}

}  // namespace
}  // namespace railyard::collectives
