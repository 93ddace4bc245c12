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
  ASSERT_EQ(fit.before.size(), 2U);  // TTFT and TPOT
  ASSERT_EQ(fit.after.size(), 2U);
  ASSERT_EQ(fit.held_out.size(), 2U);
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

TEST(RequestFit, FindsAParameterThatStartsAtItsBound) {
  // The shipped rate of bf16 products is that of short measurements, its highest value. Prompts of
  // 8,000 tokens are products for the most part.
  const Model model = read_model("llama3_8b");
  ServingPlanRequest request = request_on_one_gpu(model, 0);
  request.demand.trace =
      random_arrivals({.rate = 1, .requests = 100, .input = 8000, .output = 4, .spread = 0.5});
  const ServingOption option = option_of(request);
  StepEfficiency machine = fitted_efficiency(Engine::vllm);
  ASSERT_EQ(machine.matrix, 1);
  machine.matrix = 0.7;
  measure(request, option, machine);
  const RequestFit fit = fit_requests(request, option);
  EXPECT_LT(fit.efficiency.matrix, 0.85);
  EXPECT_GT(fit.efficiency.matrix, 0.6);
}

TEST(RequestFit, TheErrorsAreThoseOfTheValuesThatAreReported) {
  const Model model = read_model("llama3_8b");
  ServingPlanRequest request = request_on_one_gpu(model, 100);
  const ServingOption option = option_of(request);
  StepEfficiency machine = fitted_efficiency(Engine::vllm);
  machine.weights = 0.6;
  machine.kv = 1;
  measure(request, option, machine);
  const RequestFit fit = fit_requests(request, option);
  StepEfficiency reported = fitted_efficiency(Engine::vllm);
  for (const RequestFit::Parameter& p : fit.parameters) {
    EXPECT_TRUE(!p.identified || p.fitted.uncertainty < 0.5) << p.fitted.name;
    const auto all = efficiency_parameters();
    const auto at = std::ranges::find(all, p.fitted.name, &EfficiencyParameter::name);
    ASSERT_NE(at, all.end());
    reported.*at->member = p.fitted.value;
  }
  request.efficiency = reported;
  const auto again = compare_with_trace(request.demand.trace, served_requests(request, option));
  ASSERT_EQ(again.size(), fit.after.size());
  for (std::size_t i = 0; i < again.size(); ++i)
    EXPECT_EQ(again[i].predicted, fit.after[i].predicted);
}

TEST(RequestFit, RefusesATraceWithFewMeasuredTimes) {
  const Model model = read_model("llama3_8b");
  const ServingPlanRequest request = request_on_one_gpu(model, 60);
  const ServingOption option = option_of(request);
  EXPECT_THROW(fit_requests(request, option), InputError);
}

}  // namespace
}  // namespace railyard::placement::serving
