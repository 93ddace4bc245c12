#include "placement/capacity/training/failure_study.hpp"

#include <gtest/gtest.h>

#include "placement/capacity/training/training_cases.hpp"
#include "placement/model/model_job.hpp"

namespace railyard::placement {
namespace {

TrainingPlanRequest request_of(const std::string& candidate, int gpus) {
  TrainingPlanRequest request{.job = job_of_model("llama3_8b", 64).job};
  request.training.tokens = 1e11;
  request.training.failures = read_failure_model("llama3");
  request.training.runs = {.runs = 4, .threads = 1};
  request.training.spares = 1;
  request.candidates = {candidate};
  request.cases = training_cases(candidate, {gpus});
  request.verify = 0;
  return request;
}

TEST(FailureStudy, HasTheCausesThatWasteMostAndBothRecoveries) {
  const TrainingPlanRequest request = request_of("dgx_h100_ndr400", 16);
  const auto results = run_cases(request, 1);
  ASSERT_TRUE(results[0].option) << results[0].why_not;
  const TrainingOption& option = *results[0].option;
  const FailureStudy study = failure_study(request, option);
  ASSERT_FALSE(study.wastes.empty());
  EXPECT_LE(study.wastes.size(), 5U);
  for (std::size_t i = 1; i < study.wastes.size(); ++i)
    EXPECT_GE(study.wastes[i - 1].gpu_hours, study.wastes[i].gpu_hours);
  // With no spare and with one.
  ASSERT_EQ(study.recovery.policies.size(), 2U);
  EXPECT_EQ(study.recovery.policies.back().spares, 1);
  EXPECT_TRUE(study.grey.empty());  // none was asked for
}

// Two nodes of eight GPUs and one spare: the cost is that of 24 GPUs.
TEST(FailureStudy, ThePriceInACostIsThatOfTheConfig) {
  const TrainingPlanRequest request = request_of("dgx_h100_ndr400", 16);
  const auto results = run_cases(request, 1);
  ASSERT_TRUE(results[0].option) << results[0].why_not;
  const TrainingOption& option = *results[0].option;
  const PlaceProblem problem = case_problem("dgx_h100_ndr400", 2, request.job, 16);
  EXPECT_NEAR(price_in_cost(option), problem.types[0].gpu.price->per_hour, 1e-9);
  EXPECT_NEAR(option.cost->value, 24 * price_in_cost(option) * option.days.value * 24,
              1e-6 * option.cost->value);
}

}  // namespace
}  // namespace railyard::placement
