#pragma once

#include <span>
#include <string>

#include "collectives/schedule/executor.hpp"
#include "sim/flow/flow_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The first link that did not carry what the schedules send over it, each transfer of each
/// iteration routed by itself: its name and both amounts; "" where there is none. No run may have
/// one. Not for runs in which links fail, nor for paths that depend on the order of connections.
[[nodiscard]] std::string link_with_other_bytes(const topology::Cluster& cluster,
                                                std::span<const collectives::Task> tasks,
                                                const FlowOptions& options,
                                                const collectives::Run& run);

/// Throws std::logic_error where a run has one; does nothing in release builds, for runs that the
/// check is not for, and for those that take long to check.
void check_bytes(const topology::Cluster& cluster, std::span<const collectives::Task> tasks,
                 const FlowOptions& options, const collectives::Run& run);

}  // namespace railyard::sim
