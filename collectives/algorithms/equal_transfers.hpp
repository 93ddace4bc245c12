#pragma once

#include <cstdint>

#include "collectives/algorithms/pattern.hpp"

namespace railyard::collectives {

/// The number of consecutive transfers of a pattern, starting with the i-th, that are equal except
/// for their first chunk. Code whose result does not depend on the chunk can then process only the
/// first of them: PAT on 512 ranks has 261,632 transfers between only 4,608 pairs of ranks.
[[nodiscard]] std::uint64_t equal_transfers(const Pattern& pattern, std::uint64_t i);

}  // namespace railyard::collectives
