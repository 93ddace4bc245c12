#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "topology/node/path_type.hpp"

namespace railyard::topology {

/// The devices nearest to some device, by index, and the type of the path to them.
struct Nearest {
  std::vector<int> indices;
  PathType type = PathType::dis;  ///< dis: no device can be reached
};

/// Among `count` devices, those reached with the highest bandwidth, and of these the ones with the
/// best path type (NCCL 2.30.7 src/graph/topo.cc, ncclTopoGetLocal). `path_to(i)` returns an object
/// with members `type` and `bandwidth`.
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

/// How a GPU shares its nearest NICs with other GPUs.
struct NicShare {
  int gpu = 0;      ///< number of the GPU modulo the number of sharing GPUs
  int nics = 1;     ///< number of NICs nearest to the GPU
  int per_gpu = 1;  ///< number of these NICs that the GPU's channels rotate over
};
/// The index, among the nearest NICs of a GPU, of the NIC that a channel uses: (start + channel mod
/// per_gpu) mod nics (NCCL 2.30.7 src/graph/topo.cc, ncclTopoGetLocalNet). `start` is share.gpu,
/// with its bits reversed (mirrorBits) if the number of NICs is a power of two. Example: four GPUs
/// that share four NICs start at 0, 2, 1 and 3.
[[nodiscard]] int nic_of_channel(const NicShare& share, int channel);

/// The path between a GPU and a NIC: its type, and its bandwidth limited to the NIC's rate.
struct NicDistance {
  PathType type = PathType::dis;
  Bandwidth bandwidth;
};

/// The NICs that each GPU uses with NCCL_NETS_POLICY=AUTO, in the order in which its channels use
/// them (rule of nic_of_channel). `distances` has shape gpu x nic with the GPU as the slow index;
/// `gpu_numbers` are NCCL's device numbers. If a GPU has n nearest NICs, and g GPUs share the first
/// of them, it uses ceil(n / g) of them, and its share.gpu is dev mod g.
[[nodiscard]] std::vector<std::vector<int>> nics_by_gpu(std::span<const NicDistance> distances,
                                                        std::span<const int> gpu_numbers);

}  // namespace railyard::topology
