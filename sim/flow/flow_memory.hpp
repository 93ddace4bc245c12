#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// About how many bytes a flow simulation of a schedule alone takes at its peak, beside the cluster
/// itself: what decides how many can run at the same time.
[[nodiscard]] std::uint64_t flow_memory(const topology::Cluster& cluster,
                                        const collectives::Schedule& schedule, bool expand);

}  // namespace railyard::sim
