#pragma once

#include <optional>
#include <string_view>

#include "core/units.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// Parses the PCIe link speed that sysfs prints ("16.0 GT/s PCIe", "8 GT/s"). Returns the transfer
/// rate in GT/s; empty if it is not a PCIe speed in NCCL's table.
[[nodiscard]] std::optional<double> pcie_transfer_rate(std::string_view link_speed);

/// NCCL's bandwidth of a PCIe link, per direction: lanes x code / 80 GB/s, where the code depends
/// on the speed. An unknown speed counts as Gen3, a width of 0 as 16 lanes (NCCL src/graph/topo.cc,
/// ncclTopoAddPci).
[[nodiscard]] Bandwidth pcie_bandwidth(std::string_view link_speed, int link_width);
/// The same for one PCIe function; its own `bandwidth` takes precedence.
[[nodiscard]] Bandwidth pcie_bandwidth(const PcieSpec& function);

/// The raw rate of the lanes of a PCIe function, before packet headers: transfer rate x lanes x
/// encoding (8b/10b below 8 GT/s, 128b/130b up to 32 GT/s, 1 for the FLITs of 64 GT/s). Nothing if
/// the speed is unknown.
[[nodiscard]] std::optional<Bandwidth> pcie_line_rate(const PcieSpec& function);

/// The rate of payload on a PCIe link: pcie_line_rate() x 256 / 280, because a packet of 280 bytes
/// contains 256 bytes of data. If the function has its own `bandwidth`, that is returned; unknown
/// speeds and widths are replaced as in pcie_bandwidth().
[[nodiscard]] Bandwidth pcie_payload_rate(const PcieSpec& function);

/// NCCL's bandwidth of one NVLink per direction, by compute capability of the GPU (70, 90, ...).
[[nodiscard]] Bandwidth nvlink_bandwidth(int compute_capability);
/// The data-sheet rate of the same NVLink per direction.
[[nodiscard]] Bandwidth nvlink_line_rate(int compute_capability);

/// NCCL's bandwidth between two CPU sockets, by vendor and model. NCCL uses 5000 GB/s for an
/// unknown x86 vendor.
[[nodiscard]] Bandwidth socket_bandwidth(const CpuSpec& cpu);
/// The data-sheet rate of the links between two CPU sockets; socket_bandwidth() for CPUs that are
/// not in the table.
[[nodiscard]] Bandwidth socket_line_rate(const CpuSpec& cpu);

/// NCCL's bandwidth of a NIC attached directly to a CPU, as in virtual machines: LOC_BW, 5000 GB/s.
[[nodiscard]] Bandwidth virtual_nic_bandwidth();

}  // namespace railyard::topology
