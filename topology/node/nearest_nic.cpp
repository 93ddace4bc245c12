#include "topology/node/nearest_nic.hpp"

#include <algorithm>
#include <bit>

namespace railyard::topology {
namespace {

/// The bits of value below a power of two, in reverse order.
int mirror_bits(int value, int power_of_two) {
  int mirrored = 0;
  for (int bit = 1, other = power_of_two / 2; bit < power_of_two; bit *= 2, other /= 2)
    if ((value & bit) != 0) mirrored |= other;
  return mirrored;
}

}  // namespace

int nic_of_channel(const NicShare& share, int channel) {
  const bool mirrors = std::has_single_bit(static_cast<unsigned>(share.nics));
  const int start = mirrors ? mirror_bits(share.gpu, share.nics) : share.gpu;
  return (start + channel % std::max(1, share.per_gpu)) % share.nics;
}

std::vector<std::vector<int>> nics_by_gpu(std::span<const NicDistance> distances,
                                          std::span<const int> gpu_numbers) {
  const std::size_t gpus = gpu_numbers.size();
  const std::size_t nics = gpus == 0 ? 0 : distances.size() / gpus;
  std::vector<std::vector<int>> chosen(gpus);
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    const std::vector<int> near =
        nearest_of(nics, [&](std::size_t nic) { return distances[gpu * nics + nic]; }).indices;
    if (near.empty()) continue;
    const auto first = static_cast<std::size_t>(near.front());
    const auto sharing = static_cast<int>(nearest_of(gpus, [&](std::size_t peer) {
                                            return distances[peer * nics + first];
                                          }).indices.size());
    const auto n = static_cast<int>(near.size());
    const int per_gpu = (n + sharing - 1) / sharing;
    for (int channel = 0; channel < per_gpu; ++channel) {
      const int at = nic_of_channel(
          {.gpu = gpu_numbers[gpu] % sharing, .nics = n, .per_gpu = per_gpu}, channel);
      chosen[gpu].push_back(near[static_cast<std::size_t>(at)]);
    }
  }
  return chosen;
}

}  // namespace railyard::topology
