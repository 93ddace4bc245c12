#pragma once

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {

/// How unevenly sends load the NVLinks between GPUs without a switch (a cube mesh): the busiest
/// link's time / the time of the same bytes spread over all NVLinks of a GPU. 1 with a switch, or
/// if GPUs do not communicate over NVLink.
struct MeshLoad {
  double all_to_all = 1;  ///< each GPU sends a block to each other one
  double next = 1;        ///< each GPU sends to the next one in rank order
};

/// For the GPUs of a system on NCCL's paths, which cross another GPU if two have no direct link.
/// `nvlink`: GB/s of a GPU; 0: none.
[[nodiscard]] MeshLoad mesh_load(const System& system, const Paths& paths, double nvlink);

}  // namespace railyard::collectives::nccl
