#pragma once

#include <cstddef>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::hw {

/// The smallest time that at least `part` of the times do not exceed (nearest rank).
[[nodiscard]] Time quantile(std::vector<Time> times, double part);

/// Number of times above twice the median, when other work probably used the cores or the network.
[[nodiscard]] std::size_t outliers(const std::vector<Time>& times);

/// The collective's size rounded down to whole elements for every rank, as nccl-tests rounds; at
/// least one element.
[[nodiscard]] Bytes whole_elements(const collectives::Collective& collective, std::uint32_t ranks);

}  // namespace railyard::hw
