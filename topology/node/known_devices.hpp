#pragma once

#include <cstdint>
#include <string_view>

#include "core/units.hpp"

namespace railyard::topology {

/// A GPU that Railyard knows by its PCI id, for files that do not say more.
struct KnownGpu {
  std::uint16_t device;   ///< PCI device id, 0: not known; the vendor is NVIDIA, 0x10de
  std::string_view key;   ///< "h100_sxm": its file in configs/gpus, where one is shipped
  std::string_view name;  ///< "H100-SXM5-80GB", as in that file
  int compute_capability;
  int nvlinks;        ///< links of one GPU on an SXM board; 0 where it has none
  int meshed_gpus;    ///< boards up to this many GPUs join each pair directly
  int switched_gpus;  ///< boards from this many GPUs have NVSwitches; 0: none has
};

/// nullptr where it is not known. `vendor` and `device` are hexadecimal texts ("0x10de").
[[nodiscard]] const KnownGpu* known_gpu(std::string_view vendor, std::string_view device);
/// The first GPU of that key or name, or nullptr.
[[nodiscard]] const KnownGpu* known_gpu(std::string_view name);
/// The GPU that a board of that PCIe transfer rate (GT/s) most likely carries: V100 on Gen3 and
/// before, A100 on Gen4, H100 on Gen5, B200 after.
[[nodiscard]] const KnownGpu& usual_gpu(double gigatransfers);

/// The fastest port of a NIC by its PCI id; zero where it is not known.
[[nodiscard]] Bandwidth known_nic_rate(std::string_view vendor, std::string_view device);
/// The port that a NIC of that PCIe transfer rate (GT/s) and width usually has.
[[nodiscard]] Bandwidth usual_nic_rate(double gigatransfers, int lanes);

}  // namespace railyard::topology
