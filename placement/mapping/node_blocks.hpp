#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// Free GPUs in blocks of equal size, each within one node. Numberings of ranks are laid over the
/// blocks in order.
struct NodeBlocks {
  std::size_t block = 1;     ///< GPUs per block
  std::vector<Rank> gpus{};  ///< block by block
  [[nodiscard]] std::size_t count() const { return gpus.size() / block; }
  [[nodiscard]] std::span<const Rank> operator[](std::size_t b) const {
    return std::span(gpus).subspan(b * block, block);
  }
};

/// Possible ways to cut free GPUs into blocks for a job of `ranks`: one for every divisor of
/// `ranks` with enough blocks, the largest first. If the largest uses whole nodes, it is the only
/// one. Blocks keep the order of the GPUs. Throws InputError if there are fewer free GPUs than
/// ranks.
[[nodiscard]] std::vector<NodeBlocks> cut_into_blocks(const Tiers& tiers,
                                                      std::span<const Rank> free,
                                                      std::size_t ranks);

/// Candidate orders of `needed` blocks, as block numbers: as given; in the order of the tree; the
/// fewest and fullest pods and leaves first; and the last one with runs of 2, 4, 8, ... blocks
/// below one leaf, or else below one pod. Without duplicates.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> block_orders(const Tiers& tiers,
                                                                   const NodeBlocks& blocks,
                                                                   std::size_t needed);

/// The free GPUs in an order in which a job of `ranks` that uses the first of them leaves the most
/// room for other jobs. It uses the fewest nodes, pods and leaves, and among equals the smallest
/// pods and leaves. Throws InputError if there are fewer GPUs than ranks.
[[nodiscard]] std::vector<Rank> packed(const Tiers& tiers, std::span<const Rank> free,
                                       std::size_t ranks);

}  // namespace railyard::placement
