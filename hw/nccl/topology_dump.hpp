#pragma once

#include <string>

#include "core/units.hpp"

namespace railyard::hw::nccl {

/// NCCL's description of this node: the XML that it writes (NCCL_TOPO_DUMP_FILE) while it creates a
/// communicator of all GPUs that CUDA reports (ncclCommInitAll). `libraries`: as for GpuLibraries.
/// Sets and removes that variable, so no other thread may read the environment meanwhile. Throws
/// BackendError with host and call if a library, the driver or a GPU is missing, or if NCCL fails,
/// writes nothing, or does not return within `timeout` (zero: no limit).
[[nodiscard]] std::string dump_topology(const std::string& libraries, Time timeout);

}  // namespace railyard::hw::nccl
