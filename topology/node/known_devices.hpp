#pragma once

#include <cstdint>
#include <string_view>

#include "core/units.hpp"

namespace railyard::topology {

/// A GPU that Railyard recognises by PCI id, for topology files that contain little else.
struct KnownGpu {
  std::uint16_t device;   ///< PCI device id of vendor NVIDIA (0x10de); 0: unknown
  std::string_view key;   ///< "h100_sxm": name of its file in configs/gpus, if there is one
  std::string_view name;  ///< "H100-SXM5-80GB": name inside that file
  int compute_capability;
  int nvlinks;        ///< NVLinks of one GPU on an SXM board; 0 without NVLink
  int meshed_gpus;    ///< boards with up to this many GPUs connect each pair directly
  int switched_gpus;  ///< boards with at least this many GPUs have NVSwitches; 0: none
};

/// The GPU with this PCI id, given as hexadecimal texts ("0x10de"); nullptr if it is unknown.
[[nodiscard]] const KnownGpu* known_gpu(std::string_view vendor, std::string_view device);
/// The first GPU with this key or name; nullptr if there is none.
[[nodiscard]] const KnownGpu* known_gpu(std::string_view name);
/// The GPU most likely found at a PCIe transfer rate (GT/s): V100 up to Gen3, A100 for Gen4, H100
/// for Gen5, B200 above.
[[nodiscard]] const KnownGpu& usual_gpu(double gigatransfers);

/// The rate of the fastest port of a NIC with this PCI id; zero if it is unknown.
[[nodiscard]] Bandwidth known_nic_rate(std::string_view vendor, std::string_view device);
/// The most likely port rate of a NIC, given the PCIe transfer rate (GT/s) and lanes of its slot:
/// the highest InfiniBand rate that the slot can carry.
[[nodiscard]] Bandwidth usual_nic_rate(double gigatransfers, int lanes);

}  // namespace railyard::topology
