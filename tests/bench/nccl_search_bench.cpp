// NCCL's graph search (rings, trees, NVLS) on one kind of node, and what a communicator costs once
// the node is searched. One thread.
#include <benchmark/benchmark.h>

#include <string>

#include "collectives/nccl/search/search.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {
namespace {

void search_node(benchmark::State& state, const std::string& node, int nodes) {
  const System system = make_system(topology::read_node(node));
  for (auto _ : state) {
    const Communicator found = make_communicator(system, nodes);
    benchmark::DoNotOptimize(found.channels.collective);
  }
}

void searched_before(benchmark::State& state) {
  const topology::Cluster cluster =
      topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", 128));
  const Group group = Group::first(cluster, cluster.rank_count());
  CommunicatorSearch search(cluster);
  for (auto _ : state) {
    const Communicator found = search.communicator(group);
    benchmark::DoNotOptimize(found.channels.collective);
  }
}

BENCHMARK_CAPTURE(search_node, dgx_h100_alone, "dgx_h100", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_node, dgx_h100, "dgx_h100", 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_node, dgx_a100, "dgx_a100", 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_node, dgx_b200, "dgx_b200", 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_node, dgx1_v100, "dgx1_v100", 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_node, pcie8_gen4, "pcie8_gen4", 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_node, gb200_nvl72, "gb200_nvl72", 2)->Unit(benchmark::kMillisecond);
BENCHMARK(searched_before)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace railyard::collectives::nccl
