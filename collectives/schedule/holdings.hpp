#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {

/// Blocks (see Schedule) that a position brings into a collective, in order.
[[nodiscard]] std::vector<std::uint64_t> blocks_before(const Collective& collective,
                                                       std::uint32_t ranks, std::uint32_t position);
/// Blocks that a position must hold when it is done, in order.
[[nodiscard]] std::vector<std::uint64_t> blocks_after(const Collective& collective,
                                                      std::uint32_t ranks, std::uint32_t position);
/// How many blocks a collective has, and how large each is (see Schedule).
[[nodiscard]] std::uint64_t block_count(Kind kind, std::uint32_t ranks);
[[nodiscard]] Bytes block_bytes(const Collective& collective, std::uint32_t ranks);
/// Whose data a block is at the end: one position's, or (nothing) the reduction of everybody's.
[[nodiscard]] std::optional<std::uint32_t> contributor(const Collective& collective,
                                                       std::uint32_t ranks, std::uint64_t block);

}  // namespace railyard::collectives
