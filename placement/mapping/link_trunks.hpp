#pragma once

#include <vector>

#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// By link of the cluster: the trunk that contains it; none() for links without a trunk (in a
/// fabric above the core switches).
[[nodiscard]] std::vector<TrunkId> link_trunks(const Tiers& tiers);

}  // namespace railyard::placement
