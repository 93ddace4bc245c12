#pragma once

#include <string>

#include "topology/node/node_spec.hpp"

namespace railyard::collectives::testing {

/// A node with an NVSwitch, two sockets, and GPU i beside NIC i on a PCIe switch.
struct SwitchedForm {
  int compute_capability = 90;
  int gpus = 8;
  int nvlinks = 18;
  int nics = 8;
  std::int64_t nic_gigabits = 400;
  std::string pcie = "32.0 GT/s PCIe";
  std::string vendor = "GenuineIntel";
  int cpu_model = 143;
  int gpus_per_switch = 1;
  bool in_network_reduction = false;
};
[[nodiscard]] topology::NodeSpec switched_node(const SwitchedForm& form);

/// Eight V100 in the DGX-1's cube mesh: two GPUs and one 100 Gb/s NIC to a PCIe Gen3 switch, two
/// such switches to a Xeon E5 (model 79).
[[nodiscard]] topology::NodeSpec dgx1_v100();

/// Eight L40-like GPUs without NVLink, four on each of two Xeons (model 106), PCIe Gen4; one 200
/// Gb/s NIC at the first one.
[[nodiscard]] topology::NodeSpec pcie_node();

}  // namespace railyard::collectives::testing
