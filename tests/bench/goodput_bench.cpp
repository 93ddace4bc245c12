#include <benchmark/benchmark.h>

#include "placement/capacity/goodput/exact_goodput.hpp"
#include "placement/capacity/goodput/goodput.hpp"

namespace railyard::placement {
namespace {

/// Years of Llama 3's job (16,384 GPUs, one failure in 2.8 h), simulated on one thread.
void years_of_16384_gpus(benchmark::State& state) {
  RunSetup setup;
  setup.failures = read_failure_model("llama3");
  setup.nodes = 2048;
  setup.counts = {.gpus = 16384, .nics = 16384, .cables = 16384, .switches = 0, .nodes = 2048};
  setup.spares = 48;
  setup.recovery = {.detection = 600, .restart = 300};
  const double mean = mean_time_to_failure(setup.failures, setup.counts);
  setup.checkpoint = {.interval = optimal_interval(5, mean), .stall = 5, .write = 60};
  setup.horizon = core::kSecondsPerYear;
  GoodputEstimate found;
  for (auto _ : state) {
    found = simulate_goodput(setup, {.runs = static_cast<int>(state.range(0)), .threads = 1});
    benchmark::DoNotOptimize(found);
  }
  state.counters["goodput"] = found.goodput.mean;
  state.counters["interruptions_per_year"] = found.interruptions;
}
BENCHMARK(years_of_16384_gpus)->Arg(1)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace railyard::placement
