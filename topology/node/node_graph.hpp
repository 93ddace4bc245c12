#pragma once

#include <cstdint>
#include <vector>

#include "topology/cluster/device.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The devices and links of one node, numbered from 0: GPUs by number, nvswitch, PCIe switches,
/// CPUs, NICs by net number. A NIC with several ports is a `pcie_switch` (the card, whose PCIe link
/// the ports share) with one nic device per port.
struct NodeGraph {
  std::vector<Device> devices;
  std::vector<Link> links;            ///< local device numbers and reverse ids
  std::vector<std::uint8_t> is_card;  ///< by device: a pcie_switch that is a NIC of several ports
  std::vector<int> gpu_numbers;       ///< by GPU device: its number in the spec (NCCL's dev)
  std::vector<Bandwidth> nic_rates;   ///< by NIC
  std::vector<int> nic_rails;         ///< by NIC: NetSpec::rail, or else its number
  std::uint32_t first_nic = 0;
};

/// Requires a spec without the problems that check_node finds.
[[nodiscard]] NodeGraph build_node_graph(const NodeSpec& spec);

}  // namespace railyard::topology
