#pragma once

#include "collectives/nccl/graph/path_table.hpp"
#include "collectives/nccl/graph/system.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// NCCL's paths (2.30.7, src/graph/paths.cc, ncclTopoComputePaths), selected by type, then
/// bandwidth, then hops. GPU pairs beyond NCCL_P2P_LEVEL communicate through the CPU. GPUs reach a
/// distant NIC through the GPU next to it (PXN), and NICs without GPUDirect RDMA through the CPU.
[[nodiscard]] Paths compute_paths(const System& system, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
