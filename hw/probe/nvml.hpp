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

/// The result of NVML.
struct NvmlReport {
  std::vector<NvmlGpu> gpus;
  std::string absent;  ///< why there are none: no library, no driver; "" where NVML answered
};

/// Asks libnvidia-ml.so.1, loaded from `folder` ("": where the loader looks). Without the library
/// or the driver there are no GPUs, which is an answer. Throws BackendError where NVML answers and
/// then fails, naming the call.
[[nodiscard]] NvmlReport read_nvml(const std::string& folder);

}  // namespace railyard::hw
