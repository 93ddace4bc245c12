#pragma once

#include <string>
#include <string_view>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology::testing {

/// A node of `gpus` GPUs on one NVSwitch; GPU g and NIC g (400 Gb/s) share PCIe switch g.
inline NodeSpec small_node(int gpus) {
  NodeSpec node;
  node.name = "small";
  node.gpu.name = "test";
  node.gpu.compute_capability = 90;
  node.gpu.nvlink_bandwidth = Bandwidth::gigabytes_per_second(20);
  CpuSpec cpu;
  cpu.vendor = "GenuineIntel";
  for (int g = 0; g < gpus; ++g) {
    PcieSpec gpu;
    gpu.kind = PcieKind::gpu;
    gpu.link_speed = "32.0 GT/s PCIe";
    gpu.gpu = g;
    NetSpec net;
    net.name = "net" + std::to_string(g);
    net.dev = g;
    net.bandwidth = Bandwidth::gigabits_per_second(400);
    PcieSpec nic;
    nic.kind = PcieKind::nic;
    nic.link_speed = "32.0 GT/s PCIe";
    nic.nets = {net};
    PcieSpec bridge;
    bridge.kind = PcieKind::pcie_switch;
    bridge.link_speed = "32.0 GT/s PCIe";
    bridge.children = {gpu, nic};
    cpu.pcie.push_back(bridge);
    NvlinkSpec nvlink;
    nvlink.gpu = g;
    nvlink.count = 18;
    node.nvlinks.push_back(nvlink);
  }
  node.cpus = {cpu};
  return node;
}

/// A cluster of `nodes` such nodes.
inline Cluster small_cluster(FabricSpec fabric, int nodes, int gpus) {
  ClusterSpec spec;
  spec.name = "small";
  spec.node = "small";
  spec.nodes = nodes;
  spec.fabric = std::move(fabric);
  spec.node_specs = {small_node(gpus)};
  spec.node_counts = {nodes};
  return build_cluster(std::move(spec));
}

inline FabricSpec fabric_of(FabricKind kind) {
  FabricSpec fabric;
  fabric.kind = kind;
  fabric.port_latency = Time::nanoseconds(100);
  fabric.switch_latency = Time::nanoseconds(200);
  return fabric;
}

inline FabricSpec leaf_spine(int nodes_per_unit) {
  FabricSpec fabric = fabric_of(FabricKind::leaf_spine);
  fabric.nodes_per_unit = nodes_per_unit;
  return fabric;
}

inline FabricSpec clos3(int nodes_per_unit, int units_per_pod) {
  FabricSpec fabric = fabric_of(FabricKind::clos3);
  fabric.nodes_per_unit = nodes_per_unit;
  fabric.units_per_pod = units_per_pod;
  return fabric;
}

inline FabricSpec rail_clos(int nodes_per_unit, int units_per_pod) {
  FabricSpec fabric = fabric_of(FabricKind::rail_clos);
  fabric.nodes_per_unit = nodes_per_unit;
  fabric.units_per_pod = units_per_pod;
  return fabric;
}

inline FabricSpec dual_plane(int nodes_per_unit, int units_per_pod) {
  FabricSpec fabric = rail_clos(nodes_per_unit, units_per_pod);
  fabric.kind = FabricKind::dual_plane;
  return fabric;
}

inline FabricSpec fat_tree(int k) {
  FabricSpec fabric = fabric_of(FabricKind::fat_tree);
  fabric.k = k;
  return fabric;
}

/// Leaves a, b, c in a triangle, one NIC of one node on each, and a switch d behind c: no Clos.
inline FabricSpec triangle() {
  FabricSpec fabric = fabric_of(FabricKind::explicit_list);
  for (const char* name : {"a", "b", "c", "d"}) fabric.switches.push_back({name, 1});
  const auto cable = [&](std::string a, std::string b) {
    fabric.cables.push_back({std::move(a), std::move(b), Bandwidth::gigabits_per_second(400),
                             Time::nanoseconds(100), 1});
  };
  cable("a", "b");
  cable("b", "c");
  cable("c", "a");
  cable("c", "d");
  cable("node0/nic0", "a");
  cable("node1/nic0", "b");
  cable("node2/nic0", "c");
  cable("node3/nic0", "d");
  return fabric;
}

inline DeviceId device(const Cluster& cluster, std::string_view name) {
  return cluster.find_device(name).value();
}

}  // namespace railyard::topology::testing
