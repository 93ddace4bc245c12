#include "placement/jobs/queue_arrangement.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;

/// A job of `gpus` replicas on nodes of one GPU.
ArrivingJob arriving(const std::string& name, int nodes, int gpus) {
  ArrivingJob job{.name = name,
                  .problem = with_batch(small_problem(nodes, 1, {}), 12),
                  .strategy = {.dp = gpus}};
  job.step_alone = choose_nodes(with_occupancy(job.problem, {}, std::array{gpus}),
                                engines_by_leaf(), job.strategy)
                       .step()
                       .seconds();
  return job;
}

// On four nodes of one GPU, two to a leaf, two replicas fit on one leaf: that is the step alone.
TEST(QueueArrangement, AnArrivingJobHasTheStepOfTheBestFreeNodes) {
  GivenProblem given = read_given(
      {.fix = "dp=2"}, with_occupancy(with_batch(small_problem(4, 1, {}), 12), {}, std::array{2}));
  const ArrivingJob job =
      arriving_job("a", std::move(given), {.top = 1, .engines = engines_by_leaf()});
  EXPECT_EQ(job.name, "a");
  EXPECT_EQ(job.strategy.dp, 2);
  EXPECT_DOUBLE_EQ(job.step_alone, arriving("a", 4, 2).step_alone);
}

// Two jobs of two GPUs on two leaves: each gets one, and neither is slower than alone.
TEST(QueueArrangement, JobsThatHaveALeafEachLoseNothing) {
  const std::vector<ArrivingJob> jobs{arriving("a", 4, 2), arriving("b", 4, 2)};
  const QueueArrangement placed = arrange_queue(jobs, engines_by_leaf());
  EXPECT_EQ(placed.placed, 2U);
  EXPECT_EQ(count_leaf_groups(Tiers(jobs[0].problem.cluster), placed.mappings[0].gpus), 1U);
  EXPECT_EQ(count_leaf_groups(Tiers(jobs[1].problem.cluster), placed.mappings[1].gpus), 1U);
  EXPECT_NEAR(placed.lost_gpus, 0, 1e-12);
}

// Of 2, 3 and 2 GPUs on four nodes, the order of the queue places two jobs, the largest first one:
// the former counts, and the job of three finds two GPUs free of none.
TEST(QueueArrangement, TheOrderThatPlacesMoreJobsCounts) {
  const std::vector<ArrivingJob> jobs{arriving("a", 4, 2), arriving("b", 4, 3),
                                      arriving("c", 4, 2)};
  const std::vector<std::size_t> largest_first{1, 0, 2};
  EXPECT_EQ(arrange(jobs, engines_by_leaf(), largest_first).placed, 1U);
  const QueueArrangement placed = arrange_queue(jobs, engines_by_leaf());
  EXPECT_EQ(placed.placed, 2U);
  EXPECT_EQ(placed.mappings[1].size(), 0U);
  EXPECT_TRUE(beside_others(jobs, placed, 1).free().empty());
}

// Beside the others a job has what they leave, and their traffic.
TEST(QueueArrangement, AJobIsSimulatedBesideTheTrafficOfTheOthers) {
  const std::vector<ArrivingJob> jobs{arriving("a", 4, 2), arriving("b", 4, 2)};
  const std::vector<std::size_t> order{0};
  const QueueArrangement placed = arrange(jobs, engines_by_leaf(), order);
  const PlaceProblem problem = beside_others(jobs, placed, 1);
  EXPECT_EQ(problem.free().size(), 2U);
  EXPECT_FALSE(problem.other_traffic.empty());
  EXPECT_EQ(problem.occupancy.jobs.front().name, "a");
}

}  // namespace
}  // namespace railyard::placement
