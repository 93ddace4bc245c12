// Speed of the packet engine (results/packet.md): a three-tier fat tree of hosts with one NIC of
// 400 Gb/s and 1 us per link, 4 KiB of payload a packet, ECMP, RoCE with pauses and without
// congestion control. CPU time covers routing, set-up and the run.
#include <benchmark/benchmark.h>

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "sim/packet/packet_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace {

using namespace railyard;
using namespace railyard::sim;
using collectives::Kind;

topology::Cluster fat_tree(int k, int hosts) {
  auto fabric = testing::fabric(topology::FabricKind::fat_tree);
  fabric.transport = topology::Transport::roce;
  fabric.packet_overhead = {};
  fabric.k = k;
  fabric.port_latency = Time::microseconds(1);
  fabric.switch_latency = Time::microseconds(1);
  return testing::cluster(hosts, 1, fabric);
}

/// A cyclic permutation (Sattolo): nobody sends to itself.
testing::Pairs permutation(std::uint32_t hosts, std::uint64_t seed) {
  std::vector<std::uint32_t> to(hosts);
  std::iota(to.begin(), to.end(), 0U);
  std::mt19937_64 draw(seed);
  for (std::uint32_t i = hosts - 1; i > 0; --i) std::swap(to[i], to[draw() % i]);
  testing::Pairs pairs;
  for (std::uint32_t i = 0; i < hosts; ++i) pairs.emplace_back(i, to[i]);
  return pairs;
}

packet::PacketOptions roce(int ack_interval = 256) {
  packet::PacketOptions options;
  options.routing.policy = topology::RoutingPolicy::ecmp;
  options.fast_forward = false;
  options.parameters.congestion = packet::Congestion::none;
  options.parameters.nic.ack_interval = ack_interval;
  return options;
}

void run(benchmark::State& state, const topology::Cluster& cluster,
         const collectives::Schedule& schedule, const packet::PacketOptions& options) {
  const collectives::Task task{.schedule = &schedule, .start = {}, .name = {}};
  std::uint64_t hops = 0;
  double finish = 0;
  for (auto _ : state) {
    const auto result = PacketNetwork(cluster, options).run({&task, 1});
    hops += result.packets->data_hops;
    finish = result.tasks[0].finish.microseconds();
  }
  const auto all = static_cast<double>(hops);
  state.counters["data_hops"] = all / static_cast<double>(state.iterations());
  state.counters["hops_per_s"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
  state.counters["s_per_hop"] =
      benchmark::Counter(all, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["simulated_us"] = finish;
}

// 2,000,000 bytes from each host to another one. The arguments: k of the tree, packets per
// acknowledgement, threads. CPU time is that of all threads.
void permutation(benchmark::State& state) {
  const auto k = static_cast<int>(state.range(0));
  const auto cluster = fat_tree(k, k * k * k / 4);
  const auto schedule =
      testing::sends(cluster, Bytes(2'000'000), permutation(cluster.rank_count(), 1));
  auto options = roce(static_cast<int>(state.range(1)));
  options.threads = static_cast<int>(state.range(2));
  run(state, cluster, schedule, options);
}
BENCHMARK(permutation)
    ->ArgNames({"k", "ack", "threads"})
    ->Args({8, 256, 1})
    ->Args({8, 256, 2})
    ->Args({16, 256, 1})
    ->Args({16, 256, 2})
    ->Args({16, 1, 1})
    ->Args({16, 1, 2})
    ->Args({32, 256, 1})
    ->Args({32, 256, 2})
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

// 64 hosts, 64 MB on each: about as many packet-hops as in the table of htsim.
void ring_all_reduce(benchmark::State& state) {
  const auto cluster = fat_tree(8, 64);
  const auto schedule = testing::schedule(cluster, "ring", {.bytes = Bytes(64'000'000)});
  run(state, cluster, schedule, roce());
}
BENCHMARK(ring_all_reduce)->Unit(benchmark::kMillisecond);

// 64 hosts, 1 MB from each to each.
void all_to_all(benchmark::State& state) {
  const auto cluster = fat_tree(8, 64);
  const auto schedule =
      testing::schedule(cluster, "direct", {.kind = Kind::all_to_all, .bytes = Bytes(64'000'000)});
  run(state, cluster, schedule, roce());
}
BENCHMARK(all_to_all)->Unit(benchmark::kMillisecond);

// 1 GiB on 128 nodes of 8 GPUs below rail-optimised leaves. The argument: fast-forward.
void ring_all_reduce_of_1024(benchmark::State& state) {
  auto fabric = testing::fabric(topology::FabricKind::rail_clos);
  fabric.transport = topology::Transport::roce;
  fabric.packet_overhead = {};
  fabric.port_latency = Time::nanoseconds(300);
  fabric.switch_latency = Time::nanoseconds(600);
  fabric.nodes_per_unit = 64;
  fabric.units_per_pod = 16;
  const auto cluster = testing::cluster(128, 8, fabric);
  const auto schedule = testing::schedule(cluster, "ring", {.bytes = Bytes(1 << 30)});
  auto options = roce();
  options.fast_forward = state.range(0) != 0;
  run(state, cluster, schedule, options);
}
BENCHMARK(ring_all_reduce_of_1024)
    ->ArgName("fast_forward")
    ->Arg(1)
    ->Arg(0)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
