#include "placement/capacity/training/training_cases.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "placement/capacity/budget/network_power.hpp"
#include "placement/capacity/training/scaling_curve.hpp"
#include "placement/capacity/training/shrinking.hpp"
#include "placement/capacity/training/training_answer.hpp"
#include "placement/model/model_job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {
namespace {

TrainingPlanRequest request_of(std::vector<std::string> candidates, const std::vector<int>& gpus) {
  TrainingPlanRequest request{.job = job_of_model("llama3_8b", 64).job};
  request.training.tokens = 1e11;
  request.training.failures = read_failure_model("llama3");
  request.training.runs = {.runs = 4, .threads = 1};
  request.candidates = std::move(candidates);
  for (const std::string& candidate : request.candidates)
    for (TrainingCase& one : training_cases(candidate, gpus)) request.cases.push_back(one);
  request.verify = 0;
  return request;
}

TEST(TrainingCases, AreWholeNodesOfTheCandidate) {
  const auto cases = training_cases("dgx_h100_ndr400", {12});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].nodes, 2);
  // An eighth, a quarter, a half and all of 64 + 64 nodes of eight GPUs.
  const auto parts = training_cases("clos_baidu_mixed", {});
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].gpus, 128);
  EXPECT_EQ(parts[3].gpus, 1024);
  EXPECT_EQ(parts[3].nodes, 128);
}

TEST(RunCases, OfSeveralTypesHaveThePriceAndThePowerOfEach) {
  TrainingPlanRequest request = request_of({"clos_baidu_mixed"}, {32});
  request.training.spares = 0;
  const auto results = run_cases(request, 1);
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results[0].option) << results[0].why_not;
  const TrainingOption& option = *results[0].option;
  const PlaceProblem problem = case_problem("clos_baidu_mixed", 4, request.job, 32);
  ASSERT_EQ(problem.types.size(), 2U);
  EXPECT_EQ(option.asked_gpus, 32);
  const std::vector<int> used = gpus_used(option.best.strategy, 2);
  ASSERT_GT(used[0], 0);
  ASSERT_GT(used[1], 0);
  EXPECT_EQ(option.gpu, problem.types[0].gpu.gpu.name + " + " + problem.types[1].gpu.gpu.name);
  // The price of an hour is the sum over the GPUs in use.
  double hour = 0;
  for (std::size_t t = 0; t < 2; ++t) hour += used[t] * problem.types[t].gpu.price->per_hour;
  ASSERT_TRUE(option.cost);
  EXPECT_NEAR(option.cost->value, hour * option.days.value * 24, 1e-6 * option.cost->value);
  // The power is what training_totals() computes.
  std::vector<Rates> rates;
  ClusterParts parts = cluster_parts(problem.cluster);
  add_network_power(parts, problem.cluster, request.parts_list);
  for (const GpuType& type : problem.types)
    rates.push_back(power_rates(type.gpu, parts, request.training.assumed, RangeEnd::value));
  EXPECT_NEAR(option.power.mean, *training_totals(request.job, option.best, 1e9, rates).power_MW,
              1e-9);
  // Without a node the rest goes on, on one of the types or on both.
  const Shrinking shrinking = compare_recovery(
      request.training, {.problem = problem, .parts = parts, .scored = option.best});
  EXPECT_LE(shrinking.strategy.gpus, option.gpus - 8);
  EXPECT_LE(shrinking.strategy.speed, 1);
}

TEST(RunCases, PartsOfTheRentAddUp) {
  const auto results = run_cases(request_of({"dgx_h100_ndr400"}, {16}), 1);
  ASSERT_TRUE(results[0].option);
  double sum = 0;
  for (const CostPart& part : results[0].option->cost_parts)
    if (part.name != "rent") sum += part.cost;
  EXPECT_NEAR(sum, results[0].option->cost->value, 1e-6 * sum);
  EXPECT_EQ(results[0].option->cost_parts.back().name, "rent");
}

TEST(RunCases, ACandidateOnWhichTheModelCannotFitIsRefused) {
  TrainingPlanRequest request = request_of({"dgx_h100_ndr400"}, {8});
  request.job = job_of_model("llama3_405b", 64).job;
  try {
    (void)run_cases(request, 1);
    FAIL() << "it fits";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("it fits on 128 such GPUs"), std::string::npos)
        << error.what();
  }
}

TEST(ScalingCurve, IsOverTheSmallestOfEachCandidate) {
  const TrainingPlanRequest request = request_of({"dgx_h100_ndr400", "dgx_a100_hdr200"}, {8, 16});
  const auto results = run_cases(request, 1);
  const auto points = scaling_curve(request.job, results, 2);
  ASSERT_EQ(points.size(), 4U);
  for (const std::size_t first : {0U, 2U}) {
    EXPECT_EQ(points[first].strong, 1);
    EXPECT_EQ(points[first].weak, 1);
    // Tokens per second and GPU over those of 8 GPUs.
    EXPECT_NEAR(points[first + 1].strong,
                points[first + 1].tokens_per_s / points[first].tokens_per_s / 2, 1e-9);
    EXPECT_FALSE(points[first + 1].strong_limit.empty());  // every efficiency is below 2
  }
}

}  // namespace
}  // namespace railyard::placement
