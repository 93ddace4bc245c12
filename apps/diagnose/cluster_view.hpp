#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/diagnose/cluster_view.hpp"
#include "hw/diagnose/diagnose.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// NICs and leaf switches of a cluster, for nodes and places of GPUs in tests. The n-th node by
/// name is node n of the cluster, the p-th place GPU p of its nodes. Throws InputError for more
/// nodes or places than the cluster has.
[[nodiscard]] hw::ClusterView cluster_view(const topology::Cluster& cluster,
                                           const std::vector<std::string>& nodes,
                                           const std::vector<std::string>& places);

/// Predicts healthy tests between two nodes of a cluster by the fitted time model of NCCL; nothing
/// for collectives that it does not predict.
[[nodiscard]] std::vector<std::optional<Time>> expected_times(
    const std::string& cluster, std::span<const hw::ExpectedTest> tests);

}  // namespace railyard::apps
