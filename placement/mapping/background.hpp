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

/// By link: the part of its bandwidth that is left where a trunk has `available`; the links of a
/// trunk share what others send evenly.
[[nodiscard]] std::vector<double> left_of_links(const Tiers& tiers,
                                                std::span<const double> available);

}  // namespace railyard::placement
