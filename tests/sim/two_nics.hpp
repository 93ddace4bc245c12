#pragma once

#include <utility>
#include <vector>

#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim::testing {

/// Two nodes of one GPU that uses two NICs of 200 Gb/s; no software overhead.
inline topology::Cluster two_nics(topology::FabricSpec fabric) {
  topology::NodeSpec node = nvswitch_node(1);
  std::vector<topology::PcieSpec>& beside = node.cpus.front().pcie.front().children;
  topology::PcieSpec second = beside.back();
  second.nets.front().dev = 1;
  second.nets.front().name = "net1";
  beside.push_back(second);
  for (topology::PcieSpec& function : beside)
    for (topology::NetSpec& net : function.nets)
      net.bandwidth = Bandwidth::gigabits_per_second(200);
  topology::ClusterSpec spec;
  spec.name = spec.node = "test";
  spec.nodes = 2;
  spec.fabric = std::move(fabric);
  const topology::StepOverheads none{};
  spec.overheads = {.ll = none, .ll128 = none, .simple = none};
  spec.node_specs = {node};
  spec.node_counts = {2};
  return topology::build_cluster(std::move(spec));
}

}  // namespace railyard::sim::testing
