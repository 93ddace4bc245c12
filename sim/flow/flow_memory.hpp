#pragma once

#include <cstdint>
#include <span>

#include "collectives/schedule/schedule.hpp"
#include "sim/flow/stage.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Estimated peak memory of a flow simulation of one schedule, in bytes, without the cluster. It
/// determines how many simulations run at the same time.
[[nodiscard]] std::uint64_t flow_memory(const topology::Cluster& cluster,
                                        const collectives::Schedule& schedule, bool expand);

/// The part for the transfers of a channel with these stages.
[[nodiscard]] std::uint64_t transfer_memory(std::span<const Stage> stages);

}  // namespace railyard::sim
