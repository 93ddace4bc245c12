#pragma once

#include <cstddef>

#include "collectives/schedule/collective.hpp"

namespace railyard::hw {

/// into[i] = op(into[i], from[i]) for `count` elements; the ranges must not overlap and must be
/// aligned to the element. Integers wrap around; 16-bit floats are combined in binary32 and
/// rounded. An average is a sum that is divided at the end (hw/local/averaging.hpp).
using Reduction = void (*)(std::byte* into, const std::byte* from, std::size_t count);

/// The loop for a type and an operation.
[[nodiscard]] Reduction reduction(collectives::DataType type, collectives::ReduceOp op);

}  // namespace railyard::hw
