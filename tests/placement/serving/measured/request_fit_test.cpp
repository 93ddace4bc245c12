#include "placement/serving/measured/request_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/service/arrivals.hpp"

namespace railyard::placement::serving {
namespace {

ServingPlanRequest request_on_one_gpu(const Model& model, int requests) {
  ServingPlanRequest request{.model = model,
                             .demand = {.rate = 8, .input = 1000, .output = 200},
                             .candidates = {{.cluster = "one",
                                             .gpu = read_processor("h100_sxm"),
                                             .fabric = {.gpus_per_node = 1},
                                             .gpus = 1}},
                             .most_pp = 1,
                             .margin = 0};
  request.demand.trace = random_arrivals(
      {.rate = 8, .requests = requests, .input = 1000, .output = 200, .spread = 0.5});
  return request;
}

ServingOption option_of(const ServingPlanRequest& request) {
  ServingOption option = plan_case(request, request.candidates.front(), request.base, 0).option();
  option.replicas = 1;
  return option;
}

/// The request's trace with the times that a machine of these efficiencies would measure.
void measure(ServingPlanRequest& request, const ServingOption& option,
             const StepEfficiency& machine) {
  request.efficiency = machine;
  const std::vector<Served> served = served_requests(request, option);
  for (std::size_t i = 0; i < served.size(); ++i) {
    request.demand.trace[i].measured_ttft = served[i].ttft();
    request.demand.trace[i].measured_tpot = served[i].tpot();
  }
  request.efficiency.reset();
}

TEST(RequestFit, FindsTheTimesOfAMachineThatIsSlowerThanTheShippedOne) {
  const Model model = read_model("llama3_8b");
  ServingPlanRequest request = request_on_one_gpu(model, 200);
  const ServingOption option = option_of(request);
  StepEfficiency machine = fitted_efficiency(Engine::vllm);
  machine.weights = 0.5;
  machine.host_us = 4000;
  measure(request, option, machine);
  const RequestFit fit = fit_requests(request, option);
  ASSERT_EQ(fit.after.size(), 2U);  // TTFT and TPOT
  for (const MeasuredComparison& one : fit.before) EXPECT_LT(one.predicted, 0.9 * one.measured);
  // Means: when a single request arrives within a step changes its TTFT by a tenth.
  for (const MeasuredComparison& one : fit.after)
    EXPECT_NEAR(one.predicted / one.measured, 1, 0.02) << one.quantity;
  for (const MeasuredComparison& one : fit.held_out) {
    EXPECT_EQ(one.errors.count, 100U);
    EXPECT_NEAR(one.predicted / one.measured, 1, 0.04) << one.quantity;
  }
}

TEST(RequestFit, KeepsWhatTheRequestsDoNotDetermine) {
  const Model model = read_model("llama3_8b");
  ServingPlanRequest request = request_on_one_gpu(model, 60);
  const ServingOption option = option_of(request);
  StepEfficiency machine = fitted_efficiency(Engine::vllm);
  machine.host_us = 3000;
  measure(request, option, machine);
  const RequestFit fit = fit_requests(request, option);
  const auto named = [&](std::string_view name) {
    return std::ranges::find_if(fit.parameters,
                                [&](const auto& p) { return p.fitted.name == name; });
  };
  // One GPU reduces nothing, and this model has no experts.
  ASSERT_NE(named("reduce_rate"), fit.parameters.end());
  EXPECT_FALSE(named("reduce_rate")->identified);
  EXPECT_EQ(fit.efficiency.reduce_rate, fitted_efficiency(Engine::vllm).reduce_rate);
  EXPECT_EQ(named("imbalance"), fit.parameters.end());
}

TEST(RequestFit, RefusesATraceWithFewMeasuredTimes) {
  const Model model = read_model("llama3_8b");
  const ServingPlanRequest request = request_on_one_gpu(model, 60);
  const ServingOption option = option_of(request);
  EXPECT_THROW(fit_requests(request, option), InputError);
}

}  // namespace
}  // namespace railyard::placement::serving
