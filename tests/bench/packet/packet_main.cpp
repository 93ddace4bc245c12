// The packet engine on a permutation in a fat tree (results/packet.md): hosts of one GPU and one
// NIC of 400 Gb/s, each sends 2,000,000 bytes to another one, 4 KiB of payload a packet. Usage:
// railyard_packet [--hosts 128,1024,8192] [--ack N] [--congestion none|dcqcn]
//                        [--routing rail|ecmp|spray] [--store-and-forward] [--seed N]

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sim/packet/packet_network.hpp"
#include "tests/bench/process_cost.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace {

using namespace railyard;

topology::Cluster fat_tree(int k) {
  auto fabric = sim::testing::fabric(topology::FabricKind::fat_tree);
  fabric.transport = topology::Transport::roce;
  fabric.packet_overhead = {};
  fabric.k = k;
  fabric.port_latency = Time::microseconds(1);
  fabric.switch_latency = Time();
  return sim::testing::cluster(k * k * k / 4, 1, fabric);
}

sim::testing::Pairs permutation(std::uint32_t hosts, std::uint64_t seed) {
  std::vector<std::uint32_t> to(hosts);
  std::iota(to.begin(), to.end(), 0U);
  std::mt19937_64 draw(seed);
  // A cyclic permutation (Sattolo): nobody sends to itself.
  for (std::uint32_t i = hosts - 1; i > 0; --i) std::swap(to[i], to[draw() % i]);
  sim::testing::Pairs pairs;
  for (std::uint32_t i = 0; i < hosts; ++i) pairs.emplace_back(i, to[i]);
  return pairs;
}

void measure(int k, const sim::packet::PacketOptions& options) {
  const topology::Cluster cluster = fat_tree(k);
  const auto hosts = static_cast<std::uint32_t>(cluster.rank_count());
  const auto schedule =
      sim::testing::sends(cluster, Bytes(2'000'000), permutation(hosts, options.routing.seed));
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const double begin = bench::cpu_seconds();
  const collectives::Run run = sim::PacketNetwork(cluster, options).run({&task, 1});
  const double seconds = bench::cpu_seconds() - begin;
  const auto& packets = *run.packets;
  fmt::print(
      "{:6} hosts {:10} data hops {:11} events {:8.3f} CPU s {:7.2f} M data hops/CPU s {:6.1f} "
      "ns/hop "
      "{:8.1f} us {:6} pauses {:6} lost {:7.0f} MB\n",
      hosts, packets.data_hops, packets.events, seconds,
      static_cast<double>(packets.data_hops) / seconds / 1e6,
      1e9 * seconds / static_cast<double>(packets.data_hops), run.tasks[0].finish.microseconds(),
      packets.pauses, packets.lost, bench::peak_megabytes());
}

}  // namespace

int main(int argc, char** argv) {
  sim::packet::PacketOptions options;
  options.routing.policy = topology::RoutingPolicy::ecmp;
  options.parameters.congestion = sim::packet::Congestion::none;
  std::string hosts = "128,1024,8192";
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--store-and-forward") {
      options.parameters.switches.cut_through = false;
      continue;
    }
    ++i;
    constexpr std::array kFlags{"--hosts", "--ack", "--seed", "--congestion", "--routing"};
    if (value.empty() || std::find(kFlags.begin(), kFlags.end(), flag) == kFlags.end()) {
      fmt::print(stderr, "error: {} is unknown or has no value\n", flag);
      return 2;
    }
    if (flag == "--hosts") hosts = value;
    if (flag == "--ack") options.parameters.nic.ack_interval = std::atoi(value.c_str());
    if (flag == "--seed") options.routing.seed = std::strtoull(value.c_str(), nullptr, 10);
    if (flag == "--congestion" && value == "dcqcn")
      options.parameters.congestion = sim::packet::Congestion::dcqcn;
    if (flag == "--routing")
      options.routing.policy = value == "rail"    ? topology::RoutingPolicy::rail
                               : value == "spray" ? topology::RoutingPolicy::spray
                                                  : topology::RoutingPolicy::ecmp;
  }
  for (const auto& [count, k] : {std::pair{"128", 8}, std::pair{"1024", 16}, std::pair{"8192", 32}})
    if (("," + hosts + ",").find(std::string(",") + count + ",") != std::string::npos)
      measure(k, options);
  return 0;
}
