#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/schedule.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::sim::testing {

using namespace railyard::literals;

/// A node of `gpus` GPUs on one NVSwitch (NVLink 18 x 20 = 360 GB/s each); GPU g and NIC g (400
/// Gb/s = 50 GB/s) share PCIe switch g, all PCIe Gen6 x16 (96 GB/s).
inline topology::NodeSpec nvswitch_node(int gpus, bool in_network_reduction = false) {
  constexpr const char* kGen6 = "64.0 GT/s PCIe";
  topology::NodeSpec node;
  node.name = "test";
  node.gpu.name = "test";
  node.gpu.compute_capability = 90;
  node.gpu.nvlink_bandwidth = 20_GBps;
  topology::CpuSpec cpu;
  cpu.vendor = "GenuineIntel";
  for (int g = 0; g < gpus; ++g) {
    topology::PcieSpec gpu;
    gpu.kind = topology::PcieKind::gpu;
    gpu.link_speed = kGen6;
    gpu.gpu = g;
    topology::NetSpec net;
    net.name = "net" + std::to_string(g);
    net.dev = g;
    net.bandwidth = 400_Gbps;
    net.in_network_reduction = in_network_reduction;
    topology::PcieSpec nic;
    nic.kind = topology::PcieKind::nic;
    nic.link_speed = kGen6;
    nic.nets = {net};
    topology::PcieSpec bridge;
    bridge.kind = topology::PcieKind::pcie_switch;
    bridge.link_speed = kGen6;
    bridge.children = {gpu, nic};
    cpu.pcie.push_back(bridge);
    topology::NvlinkSpec nvlink;
    nvlink.gpu = g;
    nvlink.count = 18;
    node.nvlinks.push_back(nvlink);
  }
  node.cpus = {cpu};
  return node;
}

/// A fabric without latency and without packet headers.
inline topology::FabricSpec fabric(topology::FabricKind kind) {
  topology::FabricSpec spec;
  spec.kind = kind;
  spec.packet_overhead = Bytes(0);
  return spec;
}

/// Leaves of `nodes_per_unit` nodes under spines; capacity down : up of a leaf is
/// `oversubscription`.
inline topology::FabricSpec leaf_spine(int nodes_per_unit, double oversubscription = 1.0) {
  auto spec = fabric(topology::FabricKind::leaf_spine);
  spec.nodes_per_unit = nodes_per_unit;
  spec.leaf_oversubscription = oversubscription;
  return spec;
}

/// No software overhead unless given: the same for every protocol.
inline topology::Cluster cluster_of(topology::NodeSpec node, int nodes, topology::FabricSpec fabric,
                                    topology::StepOverheads overheads = {}) {
  topology::ClusterSpec spec;
  spec.name = "test";
  spec.node = "test";
  spec.nodes = nodes;
  spec.fabric = std::move(fabric);
  spec.overheads = {.ll = overheads, .ll128 = overheads, .simple = overheads};
  spec.node_specs = {std::move(node)};
  spec.node_counts = {nodes};
  return topology::build_cluster(std::move(spec));
}

inline topology::Cluster cluster(int nodes, int gpus, topology::FabricSpec fabric,
                                 topology::StepOverheads overheads = {}) {
  return cluster_of(nvswitch_node(gpus), nodes, std::move(fabric), overheads);
}

inline topology::Cluster single_switch(int nodes, int gpus,
                                       topology::StepOverheads overheads = {}) {
  return cluster(nodes, gpus, fabric(topology::FabricKind::single_switch), overheads);
}

/// The named algorithm on all ranks of the cluster.
inline collectives::Schedule schedule(const topology::Cluster& cluster, std::string_view algorithm,
                                      collectives::Collective collective,
                                      collectives::ScheduleOptions options = {}) {
  const auto group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  return collectives::build_schedule(algorithm, {cluster, group, collective, options});
}

/// One channel of the given loops that copy a broadcast's buffer of `bytes`.
inline collectives::Schedule schedule_of(const topology::Cluster& cluster, Bytes bytes,
                                         std::vector<collectives::Loop> loops,
                                         std::uint64_t chunks = 1) {
  collectives::Schedule::Parts parts;
  parts.algorithm = "test";
  parts.collective = {
      .kind = collectives::Kind::broadcast, .bytes = bytes, .type = collectives::DataType::int8};
  parts.group = std::make_shared<const collectives::Group>(
      collectives::Group::first(cluster, cluster.rank_count()));
  parts.channels = {{.chunks_per_block = chunks, .loops = std::move(loops)}};
  return collectives::Schedule(std::move(parts));
}

/// All-reduce of the first four ranks by recursive halving and doubling, far partners first.
inline collectives::Schedule halving_doubling_of_four(const topology::Cluster& cluster,
                                                      Bytes bytes) {
  const auto step = [](std::uint64_t distance, collectives::Action action) {
    return collectives::Step{collectives::ExchangePattern{
        .order = collectives::RankOrder::identity(4), .distance = distance, .action = action}};
  };
  using enum collectives::Action;
  collectives::Schedule::Parts parts;
  parts.algorithm = "test";
  parts.collective = {.kind = collectives::Kind::all_reduce, .bytes = bytes};
  parts.group = std::make_shared<const collectives::Group>(collectives::Group::first(cluster, 4));
  parts.channels = {
      {.chunks_per_block = 4,
       .loops = {{1,
                  collectives::Coupling::exchange,
                  {step(2, reduce), step(1, reduce), step(1, copy), step(2, copy)}}}}};
  return collectives::Schedule(std::move(parts));
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A step that copies chunk 0 (shifted by `stride` in later iterations) between the pairs.
inline collectives::Step copies(const Pairs& pairs, std::int64_t stride = 0) {
  std::vector<collectives::Transfer> transfers;
  for (const auto& [source, destination] : pairs)
    transfers.push_back({.source = source, .destination = destination, .first_chunk = 0});
  return {collectives::ListPattern{
      std::make_shared<const std::vector<collectives::Transfer>>(std::move(transfers)), stride}};
}

/// `bytes` between each pair, all at once.
inline collectives::Schedule sends(const topology::Cluster& cluster, Bytes bytes,
                                   const Pairs& pairs) {
  return schedule_of(cluster, bytes, {{1, collectives::Coupling::independent, {copies(pairs)}}});
}

/// What one task takes from its start.
inline Time duration(const collectives::Run& run, std::size_t task = 0) {
  return run.tasks[task].finish - run.tasks[task].start;
}

inline double carried(const collectives::Run& run, LinkId link) {
  for (const auto& load : run.link_loads)
    if (load.link == link) return load.bytes;
  return 0;
}

inline LinkId link(const topology::Cluster& cluster, std::string_view selector) {
  return topology::find_links(cluster, selector).at(0);
}

}  // namespace railyard::sim::testing
