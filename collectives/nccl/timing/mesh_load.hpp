#pragma once

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {

/// How unevenly sends load the NVLinks between GPUs without an NVSwitch (for example a cube mesh):
/// time of the busiest link / time of the same bytes spread evenly over all NVLinks of a GPU. 1
/// with a switch, or if GPUs do not communicate over NVLink.
struct MeshLoad {
  double all_to_all = 1;  ///< each GPU sends a block to each other GPU
  double next = 1;        ///< each GPU sends to the next GPU in rank order
};

/// The loads for the GPUs of a system. NCCL's path between two GPUs without a direct link crosses
/// another GPU. `nvlink`: total NVLink bandwidth of a GPU in GB/s; 0: none.
[[nodiscard]] MeshLoad mesh_load(const System& system, const Paths& paths, double nvlink);

}  // namespace railyard::collectives::nccl
