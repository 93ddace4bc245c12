#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// A node of one CPU with `nics` pairs of GPU and NIC on Gen5 root ports, NIC i beside GPU i.
inline NodeSpec small_node(int nics, Bandwidth nic = Bandwidth::gigabits_per_second(400)) {
  NodeSpec node;
  node.name = "small";
  node.gpu.name = "H100";
  node.gpu.compute_capability = 90;
  node.gpu.nvlink_bandwidth = Bandwidth::gigabytes_per_second(20);
  CpuSpec cpu;
  cpu.vendor = "GenuineIntel";
  for (int i = 0; i < nics; ++i) {
    PcieSpec gpu{.kind = PcieKind::gpu, .link_speed = "32.0 GT/s PCIe", .gpu = i};
    PcieSpec card{.kind = PcieKind::nic, .link_speed = "32.0 GT/s PCIe"};
    card.nets.push_back({.name = "mlx5_" + std::to_string(i), .dev = i, .bandwidth = nic});
    PcieSpec pcie_switch{
        .kind = PcieKind::pcie_switch, .link_speed = "32.0 GT/s PCIe", .children = {gpu, card}};
    cpu.pcie.push_back(pcie_switch);
    node.nvlinks.push_back({.gpu = i, .count = 18});
  }
  node.cpus.push_back(cpu);
  return node;
}

/// `nodes` small nodes on a fabric.
inline ClusterSpec small_spec(int nodes, int nics, FabricSpec fabric) {
  ClusterSpec spec;
  spec.name = "small";
  spec.file = "small.json";
  spec.node = "small";
  spec.nodes = nodes;
  spec.fabric = std::move(fabric);
  spec.node_specs = {small_node(nics)};
  spec.node_counts = {nodes};
  return spec;
}

inline std::size_t count(const Cluster& cluster, DeviceKind kind) {
  std::size_t found = 0;
  for (const Device& device : cluster.devices()) found += device.kind == kind ? 1 : 0;
  return found;
}

inline std::size_t count(const Cluster& cluster, LinkKind kind) {
  std::size_t found = 0;
  for (const Link& link : cluster.links()) found += link.kind == kind ? 1 : 0;
  return found;
}

/// Names of the devices that a device's links of a kind lead to, in order.
inline std::vector<std::string> neighbours(const Cluster& cluster, DeviceId id, LinkKind kind) {
  std::vector<std::string> names;
  for (const LinkId link : cluster.out_links(id))
    if (cluster.link(link).kind == kind) names.push_back(cluster.name(cluster.link(link).to));
  return names;
}

}  // namespace railyard::topology
