#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// Why paths do not depend on the seed under a policy; "": they do.
[[nodiscard]] std::string_view why_seed_is_unused(RoutingPolicy policy);

/// A note where connections of one queue pair use one of two planes, half of the rate of a NIC, and
/// for each switch with more cables than it has ports.
[[nodiscard]] std::vector<std::string> routing_notes(const Cluster& cluster,
                                                     const RoutingOptions& routing);

}  // namespace railyard::topology
