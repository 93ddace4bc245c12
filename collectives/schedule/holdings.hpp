#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/schedule/collective.hpp"

namespace railyard::collectives {

/// The blocks (see Schedule) that a position has before a collective, in ascending order.
[[nodiscard]] std::vector<std::uint64_t> blocks_before(const Collective& collective,
                                                       std::uint32_t ranks, std::uint32_t position);
/// The blocks that a position must have after a collective, in ascending order.
[[nodiscard]] std::vector<std::uint64_t> blocks_after(const Collective& collective,
                                                      std::uint32_t ranks, std::uint32_t position);
/// The number of blocks of a collective, and the size of each (see Schedule).
[[nodiscard]] std::uint64_t block_count(Kind kind, std::uint32_t ranks);
[[nodiscard]] Bytes block_bytes(const Collective& collective, std::uint32_t ranks);
/// The position whose data a block contains at the end; nothing if it is the reduction of all
/// ranks' data.
[[nodiscard]] std::optional<std::uint32_t> contributor(const Collective& collective,
                                                       std::uint32_t ranks, std::uint64_t block);

}  // namespace railyard::collectives
