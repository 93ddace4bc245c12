// Routes per second of one thread on rail_clos with 131,072 GPUs: 16,384 nodes of 8 GPUs and NICs,
// 32 nodes a unit, 16 units a pod: 4,096 leaves, 32 pods, and as many cables up as down at every
// tier.
#include <benchmark/benchmark.h>

#include <vector>

#include "tests/topology/small_fabric.hpp"
#include "topology/routing/flow_hash.hpp"
#include "topology/routing/router.hpp"

namespace railyard::topology {
namespace {

constexpr int kNodes = 16'384;
constexpr int kGpus = 8;

const Cluster& large_cluster() {
  static const Cluster cluster = testing::small_cluster(testing::rail_clos(32, 16), kNodes, kGpus);
  return cluster;
}

std::vector<Connection> random_pairs(const Cluster& cluster) {
  std::vector<Connection> pairs(1 << 16);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto draw = [&](std::uint64_t salt) {
      return cluster.gpu(Rank(static_cast<std::size_t>(mix(2 * i + salt) % cluster.rank_count())));
    };
    pairs[i] = {.source = draw(0), .destination = draw(1)};
  }
  return pairs;
}

void route_random_pairs(benchmark::State& state, const RoutingOptions& options,
                        const char* failed) {
  const Cluster& cluster = large_cluster();
  Faults faults;
  if (failed != nullptr) faults.failed = find_links(cluster, failed);
  Router router(cluster, options, faults);
  const std::vector<Connection> pairs = random_pairs(cluster);
  std::vector<Hop> hops;
  std::size_t next = 0;
  for (auto _ : state) {
    hops.clear();
    router.route(pairs[next++ % pairs.size()], hops);
    benchmark::DoNotOptimize(hops.data());
  }
  state.SetItemsProcessed(state.iterations());
}

void ring_neighbours(benchmark::State& state) {
  const Cluster& cluster = large_cluster();
  Router router(cluster, {});
  std::vector<Hop> hops;
  std::size_t rank = 0;
  for (auto _ : state) {
    hops.clear();
    const std::size_t to = (rank + kGpus) % cluster.rank_count();
    router.route({.source = cluster.gpu(Rank(rank)), .destination = cluster.gpu(Rank(to))}, hops);
    benchmark::DoNotOptimize(hops.data());
    rank = (rank + 1) % cluster.rank_count();
  }
  state.SetItemsProcessed(state.iterations());
}

void make_router(benchmark::State& state) {
  const Cluster& cluster = large_cluster();
  for (auto _ : state) {
    Router router(cluster, {});
    benchmark::DoNotOptimize(&router);
  }
}

BENCHMARK_CAPTURE(route_random_pairs, rail, RoutingOptions{}, nullptr);
BENCHMARK_CAPTURE(route_random_pairs, ecmp, RoutingOptions{.policy = RoutingPolicy::ecmp}, nullptr);
BENCHMARK_CAPTURE(route_random_pairs, ecmp_4_qps,
                  RoutingOptions{.policy = RoutingPolicy::ecmp, .qps = 4}, nullptr);
BENCHMARK_CAPTURE(route_random_pairs, balanced, RoutingOptions{.policy = RoutingPolicy::balanced},
                  nullptr);
BENCHMARK_CAPTURE(route_random_pairs, adaptive, RoutingOptions{.policy = RoutingPolicy::adaptive},
                  nullptr);
BENCHMARK_CAPTURE(route_random_pairs, spray, RoutingOptions{.policy = RoutingPolicy::spray},
                  nullptr);
BENCHMARK_CAPTURE(route_random_pairs, rail_one_spine_failed, RoutingOptions{}, "pod0/spine3");
BENCHMARK(ring_neighbours);
BENCHMARK(make_router)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace railyard::topology
