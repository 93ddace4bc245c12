#pragma once

#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"

namespace railyard::placement {

/// What other jobs leave of each trunk, in payload bytes per second: its bandwidth less what they
/// send, but at least half of it, which max-min fairness gives to one of two that contend. The
/// `bytes` of their traffic are those of a second; job ranks are GPUs of the cluster.
[[nodiscard]] std::vector<double> available_bandwidth(const Tiers& tiers,
                                                      std::span<const Traffic> others, bool pxn);

}  // namespace railyard::placement
