#pragma once

#include <string>
#include <vector>

#include "hw/probe/machine.hpp"
#include "hw/probe/nvml.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::hw {

/// How fast this host's cores move data between ranks: hw/probe/memory_rate.hpp.
struct MemoryRate {
  Bandwidth all_cores;  ///< bytes copied by all cores together
  int cores = 0;
};

/// A node, and what was assumed or left out, a sentence each.
struct DescribedNode {
  topology::NodeSpec node;
  std::vector<std::string> notes;
};

/// The node of a machine with GPUs: NUMA domains with their PCIe switches, GPUs and NICs as NCCL
/// sees them (a switch is its upstream port), NVLinks from NVML. Its NICs are the verbs ports, or
/// if there are none, the network interfaces. Throws InputError if the GPUs are of several types.
[[nodiscard]] DescribedNode describe_gpu_node(const Machine& machine,
                                              const std::vector<NvmlGpu>& gpus);

/// The node of a machine without GPUs. Its ranks are processes or threads on the cores, distributed
/// over the NUMA domains by their cores. Each has an equal share of the rate at which all cores
/// together copy memory. The GPU type is topology::kHostRank.
[[nodiscard]] DescribedNode describe_host_node(const Machine& machine, int ranks,
                                               const MemoryRate& rate);

}  // namespace railyard::hw
