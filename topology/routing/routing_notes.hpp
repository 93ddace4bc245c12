#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// Why paths do not depend on the seed under a policy; empty if they do.
[[nodiscard]] std::string_view why_seed_is_unused(RoutingPolicy policy);

/// Notes on connections of one queue pair that use one of two planes and thus half the rate of a
/// NIC, and on each switch with more cables than ports.
[[nodiscard]] std::vector<std::string> routing_notes(const Cluster& cluster,
                                                     const RoutingOptions& routing);

}  // namespace railyard::topology
