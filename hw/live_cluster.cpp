#include "hw/live_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

using namespace literals;

topology::PcieSpec gpu_of(int number) {
  topology::PcieSpec gpu;
  gpu.kind = topology::PcieKind::gpu;
  gpu.busid = fmt::format("{:04x}:00:00.0", number);
  gpu.gpu = number;
  return gpu;
}

topology::PcieSpec nic_of(int number) {
  topology::NetSpec net;
  net.name = fmt::format("net{}", number);
  net.dev = number;
  net.bandwidth = 100_Gbps;
  topology::PcieSpec nic;
  nic.kind = topology::PcieKind::nic;
  nic.busid = fmt::format("{:04x}:01:00.0", number);
  nic.nets = {net};
  return nic;
}

topology::NodeSpec node_of(std::size_t ranks, bool has_nics) {
  topology::NodeSpec node;
  node.name = "host";
  node.gpu.name = "rank";
  node.gpu.nvlink_bandwidth = 10_GBps;
  topology::CpuSpec cpu;
  for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
    if (has_nics) {
      topology::PcieSpec bridge;
      bridge.kind = topology::PcieKind::pcie_switch;
      bridge.busid = fmt::format("{:04x}:02:00.0", rank);
      bridge.children = {gpu_of(rank), nic_of(rank)};
      cpu.pcie.push_back(std::move(bridge));
    } else {
      cpu.pcie.push_back(gpu_of(rank));
    }
    node.nvlinks.push_back({.gpu = rank, .peer = {}, .count = 1});
  }
  node.cpus.push_back(std::move(cpu));
  return node;
}

/// Whether every host has as many ranks as its node has GPUs.
bool has_equal_sizes(const topology::Cluster& cluster, const LiveHosts& hosts) {
  if (cluster.node_count() < hosts.names.size()) return false;
  for (std::size_t host = 0; host < hosts.names.size(); ++host) {
    const NodeId node(static_cast<std::uint32_t>(host));
    if (static_cast<std::size_t>(cluster.shape(node).spec().gpu_count()) != hosts.ranks[host])
      return false;
  }
  return true;
}

}  // namespace

LiveHosts hosts_of(LiveBackend& backend) {
  LiveHosts hosts;
  for (std::uint32_t rank = 0; rank < backend.ranks(); ++rank) {
    const std::string& name = backend.world().places().at(backend.process_of(rank)).host;
    const auto known = std::ranges::find(hosts.names, name);
    const auto index = static_cast<std::size_t>(known - hosts.names.begin());
    if (known == hosts.names.end()) {
      hosts.names.push_back(name);
      hosts.ranks.push_back(0);
    }
    hosts.of_rank.push_back(index);
    ++hosts.ranks[index];
  }
  return hosts;
}

topology::Cluster live_cluster(const LiveHosts& hosts) {
  topology::ClusterSpec spec;
  spec.name = "live";
  const bool is_one = hosts.names.size() == 1;
  for (std::size_t host = 0; host < hosts.names.size(); ++host) {
    if (host != 0 && hosts.ranks[host] == hosts.ranks[host - 1]) {
      ++spec.node_counts.back();
      continue;
    }
    spec.node_specs.push_back(node_of(hosts.ranks[host], !is_one));
    spec.node_counts.push_back(1);
  }
  if (!is_one) spec.fabric.kind = topology::FabricKind::single_switch;
  return topology::build_cluster(std::move(spec));
}

std::shared_ptr<const collectives::Group> live_group(const topology::Cluster& cluster,
                                                     const LiveHosts& hosts) {
  using collectives::Group;
  const std::size_t ranks = hosts.of_rank.size();
  if (cluster.rank_count() < ranks) {
    throw InputError(
        "", "--gpus",
        fmt::format("the cluster has {} GPUs, {} ranks are live", cluster.rank_count(), ranks),
        "add nodes with --nodes");
  }
  if (!has_equal_sizes(cluster, hosts)) {
    return std::make_shared<const Group>(Group::first(cluster, ranks));
  }
  std::vector<std::uint32_t> next(hosts.names.size());
  for (std::size_t host = 1; host < next.size(); ++host) {
    next[host] = next[host - 1] + static_cast<std::uint32_t>(hosts.ranks[host - 1]);
  }
  std::vector<Rank> of_position;
  for (const std::size_t host : hosts.of_rank) of_position.emplace_back(next[host]++);
  return std::make_shared<const Group>(cluster, std::move(of_position));
}

}  // namespace railyard::hw
