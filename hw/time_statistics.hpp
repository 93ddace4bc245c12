#pragma once

#include <vector>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::hw {

/// The mean of at least one time, rounded down to picoseconds.
[[nodiscard]] Time mean(const std::vector<Time>& times);

/// The smallest time that at least `part` of the times do not exceed (nearest rank).
[[nodiscard]] Time quantile(std::vector<Time> times, double part);

/// The collective's size rounded down to whole elements for every rank, as nccl-tests rounds; at
/// least one element.
[[nodiscard]] Bytes whole_elements(const collectives::Collective& collective, std::uint32_t ranks);

}  // namespace railyard::hw
