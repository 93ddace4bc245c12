#include "placement/jobs/start_options.hpp"

#include <gtest/gtest.h>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;

constexpr std::int64_t kHour = 3600;

Tenant ending(std::string name, std::string nodes, std::int64_t hours) {
  Tenant one = tenant(std::move(name), std::move(nodes));
  one.left = Time::from_seconds(static_cast<double>(hours * kHour));
  return one;
}

/// Eight nodes of one GPU, of each leaf one in use; ends after 2 h, 1 h, and not known.
Occupancy one_of_each_leaf() {
  return {.source = {},
          .nodes = {},
          .gpus = {},
          .jobs = {ending("late", "3", 2), ending("early", "1", 1), tenant("c", "5"),
                   tenant("d", "7")}};
}

TEST(StartOptions, EndsAreInOrderOfTime) {
  const auto ends = job_ends(one_of_each_leaf());
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].tenant, 1U);
  EXPECT_EQ(ends[1].tenant, 0U);
}

// Two replicas on two GPUs. Now they are on two leaves; when "early" ends on one; the end of "late"
// makes nothing faster. With the wait w = 1 h and steps a now and b then, 100 steps are done after
// w + 100 b, and a job of more than w / (1 - b / a) gains by the wait.
TEST(StartOptions, WaitForABetterLeafWhereItPays) {
  const PlaceProblem problem = small_problem(8, 1, one_of_each_leaf(), 2);
  const auto starts = start_options(problem, engines_by_leaf(), {.dp = 2}, 100);
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts[0].after, "");
  EXPECT_EQ(starts[0].free_gpus, 4U);
  EXPECT_EQ(starts[0].leaf_groups, 2U);
  EXPECT_FALSE(starts[0].break_even);
  EXPECT_EQ(starts[1].after, "early");
  EXPECT_EQ(starts[1].nodes, "0-1");
  EXPECT_EQ(starts[1].free_gpus, 5U);
  EXPECT_EQ(starts[1].leaf_groups, 1U);
  const double a = starts[0].step, b = starts[1].step;
  EXPECT_GT(a, b);
  EXPECT_DOUBLE_EQ(*starts[0].done, 100 * a);
  EXPECT_DOUBLE_EQ(*starts[1].done, kHour + 100 * b);
  EXPECT_DOUBLE_EQ(*starts[1].break_even, kHour / (1 - b / a));
}

// Four GPUs are free, each end frees one: six after 2 h; the other jobs' ends are not known.
TEST(StartOptions, KnowWhenEnoughGpusAreFree) {
  const PlaceProblem problem = small_problem(8, 1, one_of_each_leaf());
  const auto six = when_free(problem.cluster, problem.occupancy, problem.free().size(), 6);
  ASSERT_TRUE(six);
  EXPECT_EQ(six->job, "late");
  EXPECT_EQ(six->gpus, 6U);
  EXPECT_EQ(six->at, Time::from_seconds(2 * kHour));
  EXPECT_FALSE(when_free(problem.cluster, problem.occupancy, problem.free().size(), 7));
  const auto text = [&](std::size_t wanted) {
    return when_free_text(problem.cluster, problem.occupancy, problem.free().size(), wanted);
  };
  EXPECT_EQ(text(6), "6 are free in 2.0 h, when late ends");
  EXPECT_EQ(text(7), "");
}

}  // namespace
}  // namespace railyard::placement
