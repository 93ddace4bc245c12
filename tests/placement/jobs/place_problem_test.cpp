#include "placement/jobs/place_problem.hpp"

#include <gtest/gtest.h>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;

std::vector<std::uint32_t> numbers(std::span<const Rank> gpus) {
  std::vector<std::uint32_t> values;
  for (const Rank gpu : gpus) values.push_back(gpu.value());
  return values;
}

// Nodes 1 and 2 are in use: one node is free below each leaf. All four GPUs are free for a job that
// uses all; a variant leaves the problem as it was.
TEST(PlaceProblem, VariantsLeaveTheProblemAsItWas) {
  const PlaceProblem problem =
      small_problem(4, 2, {.source = {}, .nodes = "1-2", .gpus = {}, .jobs = {}});
  EXPECT_EQ(numbers(problem.free()), (std::vector<std::uint32_t>{0, 1, 6, 7}));
  EXPECT_EQ(problem.gpus(), 4);
  const PlaceProblem all_free = with_occupancy(problem, {});
  EXPECT_EQ(all_free.gpus(), 8);
  EXPECT_EQ(with_batch(problem, 64).job.batch, 64);
  EXPECT_EQ(with_gpus(problem, 2).gpus(), 2);
  EXPECT_EQ(numbers(problem.free()), (std::vector<std::uint32_t>{0, 1, 6, 7}));
  EXPECT_EQ(problem.gpus(), 4);
  EXPECT_EQ(problem.job.batch, 16);
}

// Node 0 is in use. Two nodes below one leaf hold a job of four GPUs: nodes 2 and 3 come first.
TEST(PlaceProblem, AJobOfFewerGpusGetsFullLeavesFirst) {
  const PlaceProblem problem =
      small_problem(4, 2, {.source = {}, .nodes = "0", .gpus = {}, .jobs = {}}, 4);
  EXPECT_EQ(numbers(std::span(problem.types.front().free).first(4)),
            (std::vector<std::uint32_t>{4, 5, 6, 7}));
}

// The context is computed from the copy's own job.
TEST(PlaceProblem, TheContextOfACopyRefersToTheCopy) {
  const PlaceProblem problem = small_problem(2, 1, {});
  const PlaceProblem other = with_batch(problem, 32);
  EXPECT_EQ(&other.context().job, &other.job);
  EXPECT_EQ(other.context().job.batch, 32);
}

}  // namespace
}  // namespace railyard::placement
