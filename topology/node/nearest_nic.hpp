#pragma once

#include <span>
#include <vector>

#include "topology/node/node_paths.hpp"

namespace railyard::topology {

/// How near a NIC is to a GPU: the path between them, its bandwidth cut to the NIC's own rate.
struct NicDistance {
  PathType type = PathType::dis;
  Bandwidth bandwidth;
};

/// The NICs of each GPU by NCCL's rule (ncclTopoGetLocalNet, NCCL_NETS_POLICY=AUTO), in the order
/// in which the GPU's channels take them. `distances` is gpu-major (gpu x nic), `gpu_numbers`
/// NCCL's dev. The candidates are the NICs with the most bandwidth, among those the nearest type;
/// with n candidates and g GPUs that share the first of them, a GPU starts at number dev mod g (its
/// bits mirrored when n is a power of two) and has ceil(n / g) of them.
[[nodiscard]] std::vector<std::vector<int>> nics_by_gpu(std::span<const NicDistance> distances,
                                                        std::span<const int> gpu_numbers);

}  // namespace railyard::topology
