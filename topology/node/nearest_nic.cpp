#include "topology/node/nearest_nic.hpp"

#include <bit>

namespace railyard::topology {
namespace {

/// NCCL src/graph/topo.cc, ncclTopoGetLocal: most bandwidth first, then the smallest type; the
/// numbers of all that are equal to the best. `stride` walks a column or a row.
std::vector<int> best_of(std::span<const NicDistance> distances, std::size_t first,
                         std::size_t stride, std::size_t count) {
  std::vector<int> best;
  NicDistance bound;
  for (std::size_t i = 0; i < count; ++i) {
    const NicDistance& at = distances[first + i * stride];
    if (at.type == PathType::dis) continue;
    if (at.bandwidth > bound.bandwidth ||
        (at.bandwidth == bound.bandwidth && at.type < bound.type)) {
      bound = at;
      best.clear();
    }
    if (at.bandwidth == bound.bandwidth && at.type == bound.type)
      best.push_back(static_cast<int>(i));
  }
  return best;
}

/// The bits of value below a power of two, in reverse order (NCCL src/graph/topo.cc, mirrorBits).
std::size_t mirror_bits(std::size_t value, std::size_t power_of_two) {
  std::size_t mirrored = 0;
  for (std::size_t bit = 1, other = power_of_two >> 1; bit < power_of_two; bit <<= 1, other >>= 1)
    if ((value & bit) != 0) mirrored |= other;
  return mirrored;
}

}  // namespace

std::vector<std::vector<int>> nics_by_gpu(std::span<const NicDistance> distances,
                                          std::span<const int> gpu_numbers) {
  const std::size_t gpus = gpu_numbers.size();
  const std::size_t nics = gpus == 0 ? 0 : distances.size() / gpus;
  std::vector<std::vector<int>> chosen(gpus);
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    const std::vector<int> candidates = best_of(distances, gpu * nics, 1, nics);
    if (candidates.empty()) continue;
    const std::size_t n = candidates.size();
    const auto first = static_cast<std::size_t>(candidates.front());
    const std::size_t sharing = best_of(distances, first, nics, gpus).size();
    std::size_t start = static_cast<std::size_t>(gpu_numbers[gpu]) % sharing;
    if (std::has_single_bit(n)) start = mirror_bits(start, n);
    const std::size_t of_one_gpu = (n + sharing - 1) / sharing;
    for (std::size_t i = 0; i < of_one_gpu; ++i) chosen[gpu].push_back(candidates[(start + i) % n]);
  }
  return chosen;
}

}  // namespace railyard::topology
