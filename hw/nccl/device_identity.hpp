#pragma once

#include <string>

#include "hw/nccl/gpu_calls.hpp"

namespace railyard::hw::nccl {

/// The type of a GPU and its PCI address.
struct DeviceIdentity {
  int compute_capability = 0;  ///< 90: Hopper
  std::string address{};       ///< on PCIe, "0000:1B:00.0"
};

/// Asks the CUDA runtime for the device with this number. Throws BackendError.
[[nodiscard]] DeviceIdentity identify_device(GpuCalls& calls, int device);

}  // namespace railyard::hw::nccl
