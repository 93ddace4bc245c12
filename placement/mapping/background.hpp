#pragma once

#include <span>
#include <vector>

#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"

namespace railyard::placement {

/// Payload bandwidth of each trunk that other jobs leave free, in bytes/s: the trunk's bandwidth
/// minus the traffic of the other jobs, but at least half of it, because max-min fairness gives
/// each of two contending jobs a half. `bytes` of `others` are bytes per second; their job ranks
/// are GPUs of the cluster.
[[nodiscard]] std::vector<double> available_bandwidth(const Tiers& tiers,
                                                      std::span<const Traffic> others, bool pxn);

/// The free share of each link's bandwidth, from the free bandwidth of its trunk. The traffic of
/// other jobs is spread evenly over the links of a trunk.
[[nodiscard]] std::vector<double> left_of_links(const Tiers& tiers,
                                                std::span<const double> available);

}  // namespace railyard::placement
