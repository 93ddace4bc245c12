#pragma once

#include <string>

#include "core/units.hpp"

namespace railyard::hw::nccl {

/// Has NCCL describe this node: the XML that it writes (NCCL_TOPO_DUMP_FILE) while it makes a
/// communicator of all GPUs that CUDA sees (ncclCommInitAll). `libraries` as GpuLibraries has it.
/// Sets and removes that variable, so no other thread may read the environment meanwhile. Throws
/// BackendError naming host and call: no library, driver or GPU; NCCL fails, does not return within
/// `timeout` (zero: for ever), or writes nothing.
[[nodiscard]] std::string dump_topology(const std::string& libraries, Time timeout);

}  // namespace railyard::hw::nccl
