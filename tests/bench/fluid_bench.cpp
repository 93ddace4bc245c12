// The max-min engine alone: the workloads of the comparison with SimGrid as Google Benchmarks, with
// counters for flows per second and a fit of the cost over the number of flows.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sim/maxmin/fluid.hpp"
#include "tests/bench/maxmin_workload_names.hpp"

namespace railyard {
namespace {

void run(benchmark::State& state, const std::string& name, std::uint32_t hosts, int tiers) {
  const auto messages = bench::workload(name, hosts);
  const bench::FatTree tree(hosts, tiers);
  for (auto _ : state) {
    sim::Fluid fluid(tree.capacities());
    std::vector<topology::Hop> hops;
    for (const auto& message : messages) {
      hops.clear();
      tree.route(message.source, message.destination, hops);
      fluid.add({hops, message.bytes});
    }
    while (fluid.active() > 0) fluid.advance();
    benchmark::DoNotOptimize(fluid.now());
  }
  state.counters["flows"] = static_cast<double>(messages.size());
  state.counters["flows/s"] = benchmark::Counter(static_cast<double>(messages.size()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
  state.SetComplexityN(static_cast<std::int64_t>(messages.size()));
}

void BM_AllToAll(benchmark::State& state) {
  run(state, "a2a", static_cast<std::uint32_t>(state.range(0)), 2);
}
BENCHMARK(BM_AllToAll)
    ->RangeMultiplier(2)
    ->Range(64, 1024)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

void BM_Permutations(benchmark::State& state) {
  run(state, "permx" + std::to_string(state.range(0)), 4096, 3);
}
BENCHMARK(BM_Permutations)
    ->RangeMultiplier(2)
    ->Range(1, 64)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

void BM_AllToAllRandomSizes(benchmark::State& state) {
  run(state, "a2arand", static_cast<std::uint32_t>(state.range(0)), 2);
}
BENCHMARK(BM_AllToAllRandomSizes)
    ->RangeMultiplier(2)
    ->Range(16, 128)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace railyard
