#pragma once

#include <cstdint>
#include <span>

#include "collectives/schedule/schedule.hpp"
#include "sim/flow/stage.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// About how many bytes a flow simulation of a schedule alone takes at its peak, beside the cluster
/// itself: what decides how many can run at the same time.
[[nodiscard]] std::uint64_t flow_memory(const topology::Cluster& cluster,
                                        const collectives::Schedule& schedule, bool expand);

/// Of that, the transfers of a channel of these stages.
[[nodiscard]] std::uint64_t transfer_memory(std::span<const Stage> stages);

}  // namespace railyard::sim
