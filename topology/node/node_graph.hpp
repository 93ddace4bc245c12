#pragma once

#include <cstdint>
#include <vector>

#include "topology/cluster/device.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The devices and links of one node, numbered from 0 in this order: GPUs by number, the NVSwitch,
/// PCIe switches, CPUs, NICs by net number. A NIC with several ports becomes a `pcie_switch` (the
/// card, whose PCIe link the ports share) with one nic device per port.
struct NodeGraph {
  std::vector<Device> devices;
  std::vector<Link> links;  ///< device numbers and reverse ids are local to the node
  /// By device: 1 for the pcie_switch of a NIC with several ports.
  std::vector<std::uint8_t> is_card;
  std::vector<int> gpu_numbers;      ///< by GPU device: its number in the spec (NCCL's dev)
  std::vector<Bandwidth> nic_rates;  ///< by NIC number
  std::vector<int> nic_rails;        ///< by NIC number: NetSpec::rail, or else the NIC number
  std::uint32_t first_nic = 0;
};

/// Builds the graph of a node. Requires a spec for which check_node() finds no problem.
[[nodiscard]] NodeGraph build_node_graph(const NodeSpec& spec);

}  // namespace railyard::topology
