#include "placement/jobs/objective_choice.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

TEST(ObjectiveChoice, WithoutPricesThoseOfTheConfigsCount) {
  const PlaceProblem problem = testing::small_problem(2, 2, {});
  const ObjectiveChoice choice{.objective = Objective::cost, .tokens = 1e9};
  const Processor& gpu = problem.types.front().gpu;
  ASSERT_TRUE(gpu.price);
  EXPECT_DOUBLE_EQ(goal_of(choice, problem).rates.front().price_per_gpu_hour, gpu.price->per_hour);
  EXPECT_EQ(currency_of(choice, problem), gpu.price->currency);
  ASSERT_EQ(rate_notes(choice, problem).size(), 1U);
  EXPECT_TRUE(rate_notes(choice, problem).front().starts_with("price: "));
}

TEST(ObjectiveChoice, OwnPricesReplaceThem) {
  const PlaceProblem problem = testing::small_problem(2, 2, {});
  const ObjectiveChoice choice{
      .objective = Objective::cost, .tokens = 1e9, .prices = {{.amount = 2, .currency = "EUR"}}};
  EXPECT_DOUBLE_EQ(goal_of(choice, problem).rates.front().price_per_gpu_hour, 2);
  EXPECT_EQ(currency_of(choice, problem), "EUR");
  EXPECT_EQ(rate_notes(choice, problem).front(), "cost: in EUR, the currency of --price");
}

TEST(ObjectiveChoice, NeedsTokensAndOneValuePerType) {
  const PlaceProblem problem = testing::small_problem(2, 2, {});
  EXPECT_THROW((void)goal_of({.objective = Objective::days}, problem), InputError);
  EXPECT_THROW((void)goal_of({.gpu_watts = {700, 400}}, problem), InputError);
  EXPECT_FALSE(steps_to_tokens({}, problem.job));
  // 16 sequences of 2,048 tokens are 32,768 tokens a step.
  EXPECT_DOUBLE_EQ(*steps_to_tokens({.tokens = 65536.0}, problem.job), 2);
}

}  // namespace
}  // namespace railyard::placement
