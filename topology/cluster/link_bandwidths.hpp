#pragma once

#include <optional>
#include <string_view>

#include "core/units.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// NCCL's generation of a PCIe link by its text in sysfs ("16.0 GT/s PCIe", "8 GT/s"): the transfer
/// rate in GT/s, or nothing where the text is not one that PCIe has.
[[nodiscard]] std::optional<double> pcie_transfer_rate(std::string_view link_speed);

/// What NCCL counts a PCIe link with, per direction: lanes x code / 80 GB/s. An unknown speed
/// counts as Gen3, width 0 as 16 lanes (NCCL src/graph/topo.cc, ncclTopoAddPci).
[[nodiscard]] Bandwidth pcie_bandwidth(std::string_view link_speed, int link_width);
/// The same for one PCIe function: its own `bandwidth` where that is set.
[[nodiscard]] Bandwidth pcie_bandwidth(const PcieSpec& function);

/// What the lanes of a PCIe function carry before packet overhead: transfer rate x lanes x line
/// code (8b/10b below 8 GT/s, 128b/130b above, none worth counting with the FLITs of 64 GT/s).
/// Nothing where the speed is unknown.
[[nodiscard]] std::optional<Bandwidth> pcie_line_rate(const PcieSpec& function);

/// What is left of that for data: 256 of the 280 bytes of a packet. A function with its own
/// `bandwidth` has no other; unknown speeds and widths count as for pcie_bandwidth.
[[nodiscard]] Bandwidth pcie_payload_rate(const PcieSpec& function);

/// One NVLink of a GPU of a compute capability (70, 90, ...), per direction, as NCCL counts it.
[[nodiscard]] Bandwidth nvlink_bandwidth(int compute_capability);
/// The rate of that NVLink by NVIDIA's data sheets.
[[nodiscard]] Bandwidth nvlink_line_rate(int compute_capability);

/// CPU to CPU, by NCCL's table of vendors and models; an unknown x86 vendor counts as 5000 GB/s
/// there.
[[nodiscard]] Bandwidth socket_bandwidth(const CpuSpec& cpu);
/// The rate of the links between two CPUs by their data sheets; NCCL's count for CPUs that are not
/// in the table.
[[nodiscard]] Bandwidth socket_line_rate(const CpuSpec& cpu);

/// A NIC directly below a CPU (virtual machines): NCCL's LOC_BW, 5000 GB/s.
[[nodiscard]] Bandwidth virtual_nic_bandwidth();

}  // namespace railyard::topology
