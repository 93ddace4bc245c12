#include "collectives/workload/kind_times.hpp"

#include <gtest/gtest.h>

#include "tests/collectives/workload/workload_builder.hpp"

namespace railyard::collectives {
namespace {

Time us(std::int64_t n) { return Time::microseconds(n); }

/// Two ranks: computation on one stream, all-reduces on another.
Workload small() {
  return one_program({.ranks = 2, .families = {{.name = "dp", .groups = {{0, 1}}}}},
                     [](ProgramBuilder& program) {
                       compute(program, "f", us(10));
                       all_reduce(program, "comm", Bytes(100));
                       all_reduce(program, "comm", Bytes(50));
                       compute(program, "b", us(10));
                     });
}

OperationRun ran(std::int64_t begin, std::int64_t start, std::int64_t end, std::int64_t alone) {
  return {.begin = us(begin), .start = us(start), .end = us(end), .alone = us(alone)};
}

// f 0-10 and b 16-26 compute. The all-reduces run 5-13 (of which 1 us waits for the peer and 2 are
// lost on links) and 13-18: 5-18 together, of which 10-16 no computation hides.
TEST(KindTimes, ExposeWhatComputationDoesNotHide) {
  const Workload workload = small();
  const RankClassRun ranks{
      .role = 0,
      .ranks = {0, 1},
      .operations = {ran(0, 0, 10, 10), ran(5, 6, 13, 5), ran(13, 13, 18, 5), ran(16, 16, 26, 10)},
      .end = us(26)};
  const std::vector<KindTimes> kinds = kind_times(workload, ranks);
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].kind, "compute");
  EXPECT_EQ(kinds[0].operations, 2U);
  EXPECT_EQ(kinds[0].busy, us(20));
  EXPECT_EQ(kinds[0].exposed, us(20));
  EXPECT_EQ(kinds[1].kind, "all_reduce");
  EXPECT_EQ(kinds[1].family, "dp");
  EXPECT_EQ(kinds[1].bytes, Bytes(150));
  EXPECT_EQ(kinds[1].busy, us(13));
  EXPECT_EQ(kinds[1].exposed, us(6));
  EXPECT_EQ(kinds[1].peer_wait, us(1));
  EXPECT_EQ(kinds[1].link_wait, us(2));
}

// The path f, g (behind f), b (behind g): 10 + 8 + 8 us.
TEST(PathShares, AddUpToTheRun) {
  const Workload workload = small();
  WorkloadRun run;
  run.total = us(26);
  run.classes.push_back({.role = 0, .ranks = {0, 1}, .operations = {}, .end = us(26)});
  run.critical_path = {{{0, 0}, WaitCause::none, us(0), us(10)},
                       {{0, 1}, WaitCause::dependency, us(10), us(18)},
                       {{0, 3}, WaitCause::dependency, us(18), us(26)}};
  const std::vector<PathShare> shares = path_shares(workload, run);
  ASSERT_EQ(shares.size(), 3U) << "computation behind nothing and behind a collective differ";
  Time sum;
  for (const PathShare& share : shares) sum += share.time;
  EXPECT_EQ(sum, run.total);
  EXPECT_EQ(shares[0].kind, "compute");
  EXPECT_EQ(shares[0].time, us(10));
}

}  // namespace
}  // namespace railyard::collectives
