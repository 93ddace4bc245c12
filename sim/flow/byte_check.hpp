#pragma once

#include <span>
#include <string>

#include "collectives/schedule/executor.hpp"
#include "sim/flow/flow_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The first link whose bytes differ from what the schedules send over it, with each transfer of
/// each iteration routed separately: its name and both amounts; "" if there is none, as in every
/// correct run. Does not support runs in which links fail, nor paths that depend on the order of
/// connections.
[[nodiscard]] std::string link_with_other_bytes(const topology::Cluster& cluster,
                                                std::span<const collectives::Task> tasks,
                                                const FlowOptions& options,
                                                const collectives::Run& run);

/// Throws std::logic_error if a run has such a link. Does nothing in release builds, for
/// unsupported runs, and for runs that would take long to check.
void check_bytes(const topology::Cluster& cluster, std::span<const collectives::Task> tasks,
                 const FlowOptions& options, const collectives::Run& run);

}  // namespace railyard::sim
