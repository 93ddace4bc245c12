// Flow simulation end to end: schedule -> streams -> fluid.
#include <benchmark/benchmark.h>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace {

using namespace railyard;
using namespace railyard::sim;
using namespace railyard::sim::testing;

topology::Cluster rail_clos(int nodes) {
  auto spec = fabric(topology::FabricKind::rail_clos);
  spec.nodes_per_unit = 64;
  spec.units_per_pod = 16;
  return testing::cluster(nodes, 8, spec);
}

void run(benchmark::State& state, std::string_view algorithm, collectives::Collective collective,
         collectives::ScheduleOptions options = {}) {
  const auto cluster = rail_clos(static_cast<int>(state.range(0)) / 8);
  const auto asked = schedule(cluster, algorithm, collective, options);
  const collectives::Task task{.schedule = &asked, .start = {}, .name = {}};
  for (auto _ : state) benchmark::DoNotOptimize(FlowNetwork(cluster).run({&task, 1}));
  state.counters["GPUs"] = static_cast<double>(state.range(0));
}

void ring_all_reduce(benchmark::State& state) {
  run(state, "ring", {.bytes = 8_GiB}, {.channels = 16});
}
BENCHMARK(ring_all_reduce)
    ->Arg(1024)
    ->Arg(16384)
    ->Arg(131072)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void tree_all_reduce(benchmark::State& state) {
  run(state, "tree", {.bytes = 8_GiB}, {.channels = 16});
}
BENCHMARK(tree_all_reduce)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond)->Iterations(1);

void all_to_all(benchmark::State& state) {
  run(state, "rail_pxn", {.kind = collectives::Kind::all_to_all, .bytes = 1_GiB}, {.channels = 1});
}
BENCHMARK(all_to_all)->Arg(128)->Arg(512)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
