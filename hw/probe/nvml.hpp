#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::hw {

/// NVLinks of a GPU to one target.
struct NvmlLinks {
  std::string peer;  ///< PCI address of the other GPU; "" for an NVSwitch
  int count = 0;
};

/// A GPU as NVML, the driver's management library, describes it.
struct NvmlGpu {
  int number = 0;
  std::string address;         ///< "0000:1b:00.0"
  std::string name;            ///< "NVIDIA H100 80GB HBM3"
  int compute_capability = 0;  ///< 90
  Bytes memory;
  std::vector<NvmlLinks> links;
};

/// Result of read_nvml().
struct NvmlReport {
  std::vector<NvmlGpu> gpus;
  std::string absent;  ///< why there are none: no library, no driver; "" if NVML answered
};

/// Reads the GPUs from libnvidia-ml.so.1 in `folder` ("": the loader's paths). Without the library
/// or the driver the report has no GPUs. Throws BackendError with the failing call if NVML answers
/// and fails later.
[[nodiscard]] NvmlReport read_nvml(const std::string& folder);

}  // namespace railyard::hw
