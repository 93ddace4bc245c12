#include <benchmark/benchmark.h>

#include "placement/measured/step_predictor.hpp"
#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/planner/serving_plan.hpp"
#include "placement/serving/service/arrivals.hpp"

namespace railyard::placement::serving {
namespace {

ServingCandidate candidate(StepPredictor& machines, const char* cluster, int gpus) {
  const PredictedMachine& machine = machines.machine(cluster);
  return {.cluster = cluster,
          .gpu = machine.gpu,
          .fabric = machine.fabric,
          .gpus = gpus,
          .price_per_hour = machine.gpu.price ? machine.gpu.price->per_hour : 1};
}

/// A million requests of 500 tokens in and 150 out on average through 64 replicas of Llama 3 8B, at
/// 80 % of their saturation.
void million_requests(benchmark::State& state) {
  StepPredictor machines;
  const Model model = read_model("llama3_8b");
  const ServingPlanRequest request{
      .model = model,
      .demand = {.rate = 1, .input = 500, .output = 150},
      .candidates = {candidate(machines, "dgx_h100_ndr400", 64)},
      .base = {.formats = {.attention = NumberFormat::fp8, .mlp = NumberFormat::fp8}},
      .most_pp = 1};
  const PlanCase one = plan_case(request, request.candidates.front(), request.base, 8192);
  const int replicas = 64;
  const double rate = 0.8 * replicas * saturation(one.step, one.memory, one.load(1)).rate;
  const auto requests = random_arrivals({.rate = rate,
                                         .requests = static_cast<int>(state.range(0)),
                                         .input = 667,
                                         .output = 200,
                                         .spread = 0.5});
  std::int64_t steps = 0;
  for (auto _ : state) {
    const ServiceResult result =
        run_service(requests, {.replicas = replicas, .replica = one.replica()},
                    [&](const StepBatch& batch) { return one.seconds(batch); });
    steps = result.steps;
    benchmark::DoNotOptimize(result.duration);
  }
  state.counters["requests"] = static_cast<double>(requests.size());
  state.counters["steps"] = static_cast<double>(steps);
}
BENCHMARK(million_requests)->Arg(1'000'000)->Unit(benchmark::kSecond)->Iterations(1);

/// A plan of Llama 3 70B over five GPU types and all splits, with pools for prompts and decoding.
void plan_over_five_gpus(benchmark::State& state) {
  StepPredictor machines;
  const Model model = read_model("llama3_70b");
  ServingPlanRequest request{
      .model = model,
      .demand = {.rate = 50, .input = 2000, .output = 300, .ttft = 1, .tpot = 0.04},
      .base = {.formats = {.attention = NumberFormat::fp8, .mlp = NumberFormat::fp8}},
      .disaggregate = true,
      .most_pp = 4};
  for (const char* cluster : {"dgx_a100_hdr200", "dgx_h100_ndr400", "hgx_h200_ndr400",
                              "dgx_b200_ndr400", "rtx_pro_6000_8"})
    request.candidates.push_back(candidate(machines, cluster, 512));
  std::size_t options = 0;
  for (auto _ : state) options = plan_serving(request).options.size();
  state.counters["options"] = static_cast<double>(options);
}
BENCHMARK(plan_over_five_gpus)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace railyard::placement::serving
