#pragma once

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {

/// How unevenly sends load the NVLinks between GPUs that have no switch (a cube mesh): the busiest
/// link's time over what it takes to send the same by all NVLinks of a GPU at once. 1 with a
/// switch, or where GPUs do not meet over NVLink.
struct MeshLoad {
  double all_to_all = 1;  ///< each GPU to each, a block each
  double next = 1;        ///< each GPU to the next in rank order, around
};

/// Of the GPUs of a system on NCCL's paths, by another GPU where two have no link of their own.
/// `nvlink`: of a GPU, GB/s; 0: it has none.
[[nodiscard]] MeshLoad mesh_load(const System& system, const Paths& paths, double nvlink);

}  // namespace railyard::collectives::nccl
