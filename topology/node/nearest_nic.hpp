#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "topology/node/path_type.hpp"

namespace railyard::topology {

/// What is nearest to a device: by number, and the type of path to it.
struct Nearest {
  std::vector<int> indices;
  PathType type = PathType::dis;  ///< dis: nothing is reached
};

/// Of `count` devices those with the most bandwidth, among these the nearest type (NCCL 2.30.7
/// src/graph/topo.cc, ncclTopoGetLocal). `path_to(i)` has a `type` and a `bandwidth`.
template <class PathTo>
[[nodiscard]] Nearest nearest_of(std::size_t count, PathTo&& path_to) {
  Nearest found;
  decltype(path_to(std::size_t{0}).bandwidth) most{};
  for (std::size_t i = 0; i < count; ++i) {
    const auto& path = path_to(i);
    if (path.type == PathType::dis) continue;
    if (path.bandwidth > most || (path.bandwidth == most && path.type < found.type)) {
      most = path.bandwidth;
      found = {.indices = {}, .type = path.type};
    }
    if (path.bandwidth == most && path.type == found.type)
      found.indices.push_back(static_cast<int>(i));
  }
  return found;
}

/// A GPU among those that share its nearest NICs.
struct NicShare {
  int gpu = 0;      ///< where it begins: its number, modulo the GPUs that share
  int nics = 1;     ///< nearest to the GPU
  int per_gpu = 1;  ///< how many of them its channels take in turn
};
/// Which of its nearest NICs a channel of a GPU takes (NCCL 2.30.7 src/graph/topo.cc,
/// ncclTopoGetLocalNet): (start + channel mod per_gpu) mod nics, where start is the GPU's number,
/// its bits in reverse order (mirrorBits) where the NICs are a power of two. Four GPUs that share
/// four NICs start at 0, 2, 1 and 3.
[[nodiscard]] int nic_of_channel(const NicShare& share, int channel);

/// How near a NIC is to a GPU: the path between them, its bandwidth cut to the NIC's own rate.
struct NicDistance {
  PathType type = PathType::dis;
  Bandwidth bandwidth;
};

/// The NICs of each GPU by that rule (NCCL_NETS_POLICY=AUTO), in the order in which the GPU's
/// channels take them. `distances` is gpu-major (gpu x nic), `gpu_numbers` NCCL's dev. With n
/// nearest NICs and g GPUs that share the first of them, a GPU starts at number dev mod g and has
/// ceil(n / g) of them.
[[nodiscard]] std::vector<std::vector<int>> nics_by_gpu(std::span<const NicDistance> distances,
                                                        std::span<const int> gpu_numbers);

}  // namespace railyard::topology
