#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// Free GPUs in blocks of equal size, each in one node: the places that a numbering of ranks is
/// laid over, block by block.
struct NodeBlocks {
  std::size_t block = 1;     ///< GPUs of a block
  std::vector<Rank> gpus{};  ///< block by block
  [[nodiscard]] std::size_t count() const { return gpus.size() / block; }
  [[nodiscard]] std::span<const Rank> operator[](std::size_t b) const {
    return std::span(gpus).subspan(b * block, block);
  }
};

/// The ways to cut free GPUs into blocks for a job of `ranks`: by every divisor of `ranks` of which
/// enough blocks fit, the largest first; that one alone where it takes whole nodes. Blocks keep the
/// order of the GPUs. Throws InputError when there are fewer free GPUs than ranks.
[[nodiscard]] std::vector<NodeBlocks> cut_into_blocks(const Tiers& tiers,
                                                      std::span<const Rank> free,
                                                      std::size_t ranks);

/// Orders of `needed` of the blocks that are worth trying, as block numbers: as given; by the
/// tree; the fewest and fullest pods and leaves first; and the last with runs of 2, 4, 8, ...
/// blocks kept below one leaf while that is possible, then below one pod. Without duplicates.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> block_orders(const Tiers& tiers,
                                                                   const NodeBlocks& blocks,
                                                                   std::size_t needed);

/// The free GPUs with those in front that a job of `ranks` should take to leave the others most: in
/// the fewest nodes, pods and leaves, and of pods and leaves that do as well the smallest. Throws
/// InputError when there are fewer than ranks.
[[nodiscard]] std::vector<Rank> packed(const Tiers& tiers, std::span<const Rank> free,
                                       std::size_t ranks);

}  // namespace railyard::placement
