#pragma once

#include "collectives/nccl/graph/path_table.hpp"
#include "collectives/nccl/graph/system.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// NCCL's paths (2.30.7, src/graph/paths.cc, ncclTopoComputePaths): best type first, then
/// bandwidth, then hops; GPU pairs beyond NCCL_P2P_LEVEL go through the CPU, GPUs reach a far NIC
/// through the GPU beside it (PXN), and NICs without GPUDirect RDMA through the CPU.
[[nodiscard]] Paths compute_paths(const System& system, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
