#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/diagnose/cluster_view.hpp"
#include "hw/diagnose/diagnose.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// NICs and leaf switches of a cluster, for the nodes and GPU places in tests. The n-th node by
/// name is node n of the cluster; the p-th place is GPU p of its nodes. Throws InputError if there
/// are more nodes or places than the cluster has.
[[nodiscard]] hw::ClusterView cluster_view(const topology::Cluster& cluster,
                                           const std::vector<std::string>& nodes,
                                           const std::vector<std::string>& places);

/// Predicted times of healthy tests between two nodes of a cluster, by the fitted time model of
/// NCCL. Empty for collectives that the model does not cover.
[[nodiscard]] std::vector<std::optional<Time>> expected_times(
    const std::string& cluster, std::span<const hw::ExpectedTest> tests);

}  // namespace railyard::apps
