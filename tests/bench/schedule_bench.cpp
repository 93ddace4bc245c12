#include <benchmark/benchmark.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include "collectives/algorithms/algorithm.hpp"
#include "topology/cluster/cluster.hpp"

namespace {

using namespace railyard;
using namespace railyard::collectives;

/// The rail-optimised H100 Clos with `ranks` GPUs.
const topology::Cluster& cluster_of(std::int64_t ranks) {
  static const topology::Cluster kLargest = topology::build_cluster(topology::read_cluster(
      std::string(RAILYARD_SOURCE_DIR) + "/configs/clusters/clos_rail_h100.json", 16'384));
  (void)ranks;
  return kLargest;
}

/// Resident memory, from the kernel.
double resident_MB() {
  std::ifstream status("/proc/self/statm");
  std::int64_t pages = 0, resident = 0;
  status >> pages >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

void build(benchmark::State& state, const char* algorithm, Kind kind) {
  const topology::Cluster& cluster = cluster_of(state.range(0));
  const Request request{.cluster = cluster,
                        .group = std::make_shared<const Group>(
                            Group::first(cluster, static_cast<std::size_t>(state.range(0)))),
                        .collective = {.kind = kind, .bytes = Bytes(std::int64_t{1} << 30)},
                        .options = {}};
  const double before = resident_MB();
  double largest = 0;
  for (auto _ : state) {
    const Schedule schedule = build_schedule(algorithm, request);
    benchmark::DoNotOptimize(schedule.transfer_count());
    largest = std::max(largest, resident_MB() - before);
  }
  state.counters["resident_MB"] = largest;
}

BENCHMARK_CAPTURE(build, ring_all_reduce, "ring", Kind::all_reduce)
    ->Arg(1024)
    ->Arg(131'072)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, ring_broadcast, "ring", Kind::broadcast)
    ->Arg(131'072)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, tree_all_reduce, "tree", Kind::all_reduce)
    ->Arg(131'072)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, nvls_tree, "nvls_tree", Kind::all_reduce)
    ->Arg(131'072)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, pxn_all_to_all, "rail_pxn", Kind::all_to_all)
    ->Arg(131'072)
    ->Unit(benchmark::kMillisecond);

}  // namespace
