#pragma once

#include <vector>

#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// By link of the cluster: the trunk that it is one of; none() for links that no trunk has (a
/// fabric above the cores).
[[nodiscard]] std::vector<TrunkId> link_trunks(const Tiers& tiers);

}  // namespace railyard::placement
