#include "placement/jobs/repacking.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;

/// Eight nodes of one GPU, of each leaf one in use; every job's state is 100 GB.
PlaceProblem one_of_each_leaf() {
  Occupancy occupancy;
  for (const char* node : {"1", "3", "5", "7"}) {
    occupancy.jobs.push_back(tenant(std::string("on ") + node, node));
    occupancy.jobs.back().state = 100_GB;
  }
  return small_problem(8, 1, std::move(occupancy), 2);
}

// A job of two GPUs needs a leaf: the first is freed by moving its one job, to a node that is free
// and below another leaf.
TEST(Repacking, FreesTheLeafWithTheFewestMoves) {
  const PlaceProblem problem = one_of_each_leaf();
  const Mapper mapper(problem, true);
  const auto plans = move_plans(problem, mapper, {.dp = 2});
  ASSERT_FALSE(plans.empty());
  ASSERT_EQ(plans.front().size(), 1U);
  const JobMove& move = plans.front().front();
  EXPECT_EQ(move.tenant, 0U);
  EXPECT_EQ(move.from, std::vector<Rank>{Rank(1)});
  ASSERT_EQ(move.to.size(), 1U);
  EXPECT_EQ(move.to.front().value() % 2, 0U);
  EXPECT_NE(move.to.front().value(), 0U);
  const Occupancy after = after_moves(problem.occupancy, plans.front());
  EXPECT_EQ(after.jobs[0].gpus, std::to_string(move.to.front().value()));
  EXPECT_TRUE(after.jobs[0].nodes.empty());
}

// Where a leaf is free nothing has to move.
TEST(Repacking, PlansNothingWhereAWholeLeafIsFree) {
  const PlaceProblem problem =
      small_problem(4, 1, {.source = {}, .nodes = {}, .gpus = {}, .jobs = {tenant("a", "1")}}, 2);
  const Mapper mapper(problem, true);
  EXPECT_TRUE(move_plans(problem, mapper, {.dp = 2}).empty());
}

// One GPU waits for the restart of 300 s and for 100 GB over the node's 50 GB/s: 302 s. A job of
// four GPUs on two nodes of two has 200 GB/s for it: 4 x 300.5 s.
TEST(Repacking, MovedJobsLoseTheRestartAndTheCopy) {
  const PlaceProblem ones = one_of_each_leaf();
  EXPECT_DOUBLE_EQ(
      lost_gpu_seconds(ones, {{.tenant = 0, .from = {Rank(1)}, .to = {Rank(2)}}}, 300000_ms), 302);
  RunningJob other = tenant("a", "0-1");
  other.state = 100_GB;
  const PlaceProblem twos =
      small_problem(4, 2, {.source = {}, .nodes = {}, .gpus = {}, .jobs = {other}}, 2);
  const std::vector<Rank> to{Rank(4), Rank(5), Rank(6), Rank(7)};
  EXPECT_DOUBLE_EQ(
      lost_gpu_seconds(twos, {{.tenant = 0, .from = identity(4).gpus, .to = to}}, 300000_ms),
      4 * 300.5);
}

// Steps a on two leaves and b on one: two GPUs gain 2 (1 - b / a) GPU seconds per second, the moved
// one lost 302.
TEST(Repacking, PaysBackWhatTheMovedJobsLose) {
  const PlaceProblem problem = one_of_each_leaf();
  const auto found = repackings(problem, engines_by_leaf(), {.dp = 2}, 300000_ms);
  ASSERT_FALSE(found.empty());
  const double a = found.front().step_before, b = found.front().step_after;
  EXPECT_LT(b, 0.995 * a);
  EXPECT_DOUBLE_EQ(*found.front().payback, 302 / (2 * (1 - b / a)));
  // What is promised is what a job gets on the nodes of that plan.
  const PlaceProblem then =
      with_occupancy(problem, after_moves(problem.occupancy, found.front().moves), std::array{2});
  EXPECT_DOUBLE_EQ(choose_nodes(then, engines_by_leaf(), {.dp = 2}).step().seconds(), b);
}

}  // namespace
}  // namespace railyard::placement
