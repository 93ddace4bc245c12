#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectives/schedule/collective.hpp"
#include "hw/local/program.hpp"

namespace railyard::hw {

/// Whether results are to be divided by the number of ranks: reductions with ReduceOp::avg.
[[nodiscard]] bool is_averaged(const collectives::Collective& collective);

/// at[i] = at[i] / ranks for `count` elements: integers towards zero (as NCCL's averages of
/// integers), 16-bit floats in binary32 and rounded.
using Averaging = void (*)(std::byte* at, std::size_t count, std::uint32_t ranks);
[[nodiscard]] Averaging averaging(collectives::DataType type);

/// Divides the blocks of `after` (each of `block_bytes` in an arena).
void average(std::byte* arena, std::span<const BlockPlace> after, std::uint64_t block_bytes,
             collectives::DataType type, std::uint32_t ranks);

}  // namespace railyard::hw
