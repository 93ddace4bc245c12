#include "placement/jobs/plan_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;

TEST(PlanOptions, BatchesAreThoseOfTheJobAndItsMultiples) {
  Job job = four_layers(512);
  job.batches = {128, 1024};
  using Batches = std::vector<int>;
  EXPECT_EQ(batches_to_try(job, true, {}), (Batches{128, 512, 1024}));
  EXPECT_EQ(batches_to_try(job, true, 2048), (Batches{128, 512, 1024, 2048}));
  EXPECT_EQ(batches_to_try(job, false, 2048), (Batches{512, 1024, 2048}));
  EXPECT_EQ(batches_to_try(job, false, 256), (Batches{}));
}

Goal cost_goal(double most_days) {
  return {.objective = Objective::cost,
          .tokens = 1e12,
          .rates = {{.price_per_gpu_hour = 2}},
          .most_days = most_days};
}

// By cost, 8, 4, 2 and 1 GPUs with either batch; the chosen one costs least.
TEST(PlanOptions, TheCheapestNumberOfGpusIsChosen) {
  const PlaceProblem problem = small_problem(8, 1, {});
  const PlanResult found =
      plan_options(problem, {.batches = {16, 32}, .goal = cost_goal(0), .space = {}});
  ASSERT_EQ(found.options.size(), 8U);
  const PlanOption* chosen = chosen_of(found.options);
  ASSERT_NE(chosen, nullptr);
  for (const PlanOption& option : found.options)
    EXPECT_LE(*chosen->totals.cost, *option.totals.cost);
}

// With a limit between the shortest and the longest time, only options within it may be chosen;
// below all of them, none is.
TEST(PlanOptions, OptionsBeyondTheDaysAreNotChosen) {
  const PlaceProblem problem = small_problem(8, 1, {});
  const auto days_of = [](const PlanOption& option) { return option.totals.days; };
  const PlanRequest any{.batches = {16}, .goal = cost_goal(0), .space = {}};
  const double fastest =
      std::ranges::min(plan_options(problem, any).options, {}, days_of).totals.days;
  PlanRequest limited = any;
  limited.goal.most_days = 1.5 * fastest;
  const PlanResult within = plan_options(problem, limited);
  ASSERT_NE(chosen_of(within.options), nullptr);
  EXPECT_LE(chosen_of(within.options)->totals.days, limited.goal.most_days);
  EXPECT_FALSE(std::ranges::all_of(within.options, &PlanOption::allowed));
  limited.goal.most_days = 0.5 * fastest;
  EXPECT_EQ(chosen_of(plan_options(problem, limited).options), nullptr);
}

// A search that is stopped ends the plan.
// 12 nodes of one GPU: 12, 6 and 3 are tried by halving. A limit between the times of 6 and of 3
// GPUs is met by 6, and perhaps by 5 or 4: the fewest that meet it are found.
TEST(PlanOptions, TheFewestGpusWithinTheDaysAreFoundToTheNode) {
  const PlaceProblem problem = small_problem(12, 1, {});
  const auto days_of = [&](int gpus) {
    const PlaceProblem part = with_gpus(problem, gpus);
    return plan_options(part, {.batches = {60}, .goal = cost_goal(0), .space = {}})
        .options.front()
        .totals.days;
  };
  for (const int wanted : {4, 5}) {
    const double limit = days_of(wanted) * 1.001;
    const PlanResult found =
        plan_options(problem, {.batches = {60}, .goal = cost_goal(limit), .space = {}});
    int fewest = 12;
    for (const PlanOption& option : found.options)
      if (option.allowed) fewest = std::min(fewest, option.best.strategy.gpus());
    EXPECT_EQ(fewest, wanted);
    EXPECT_TRUE(std::ranges::is_sorted(found.options, std::ranges::greater(),
                                       [](const auto& o) { return o.best.strategy.gpus(); }));
  }
}

TEST(PlanOptions, StopWhereTheSearchIsStopped) {
  const PlaceProblem problem = small_problem(8, 1, {});
  const PlanResult found = plan_options(
      problem,
      {.batches = {16, 32}, .goal = cost_goal(0), .space = {}, .keep_going = [](int, int, double) {
         return false;
       }});
  EXPECT_TRUE(found.stopped);
  EXPECT_LE(found.options.size(), 1U);
}

}  // namespace
}  // namespace railyard::placement
