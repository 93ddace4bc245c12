#pragma once

#include "collectives/nccl/graph/path_table.hpp"
#include "collectives/nccl/graph/system.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// NCCL's paths (2.30.7, src/graph/paths.cc, ncclTopoComputePaths). The best path has the best
/// type, then the highest bandwidth, then the fewest hops. GPUs whose path is worse than
/// NCCL_P2P_LEVEL communicate through the CPU. A GPU reaches a distant NIC through the GPU next to
/// that NIC (PXN), and a NIC without GPUDirect RDMA through the CPU.
[[nodiscard]] Paths compute_paths(const System& system, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
