#pragma once

#include <cstdint>

#include "collectives/algorithms/pattern.hpp"

namespace railyard::collectives {

/// How many transfers of a pattern from the i-th on differ from it in their first chunk alone. What
/// takes the same time for all chunks needs only the first of them: PAT on 512 ranks has 261,632
/// transfers between 4,608 pairs.
[[nodiscard]] std::uint64_t alike_transfers(const Pattern& pattern, std::uint64_t i);

}  // namespace railyard::collectives
