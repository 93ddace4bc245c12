#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// Why paths under a policy do not depend on the seed; empty if they do.
[[nodiscard]] std::string_view why_seed_is_unused(RoutingPolicy policy);

/// Notes on the routing of a cluster: connections with a single queue pair in a dual-plane fabric,
/// which use only one plane and thus half the rate of a NIC; and each switch with more cables than
/// ports.
[[nodiscard]] std::vector<std::string> routing_notes(const Cluster& cluster,
                                                     const RoutingOptions& routing);

}  // namespace railyard::topology
