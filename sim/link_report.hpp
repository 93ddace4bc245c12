#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The tier of a link with its direction, for traces: "nvlink", "c2c", "pcie", "socket", "nic ->
/// leaf", "leaf -> spine", "spine -> core", "core -> spine", "spine -> leaf", "leaf -> nic", and
/// other pairs of switch tiers.
[[nodiscard]] std::string_view tier_of(const topology::Cluster& cluster, LinkId link);

/// The tier of a link in both directions: "nvlink", "c2c", "pcie", "socket", "port", "leaf-spine",
/// "spine-core", "fabric" (docs/result-files.md).
[[nodiscard]] std::string_view tier_name(const topology::Cluster& cluster, LinkId link);

/// The load of the links of a tier in one direction, in the whole cluster or in one pod.
struct TierLoad {
  std::string_view tier;       ///< "nvlink", "port", "leaf-spine", ... (docs/result-files.md)
  std::string_view direction;  ///< "up", "down"; "" inside nodes
  std::int64_t pod = -1;       ///< -1: the whole tier
  std::int64_t links = 0;      ///< idle ones included
  std::int64_t used = 0;
  double mean_utilisation = 0;  ///< of all links over the span, 0..1
  double max_utilisation = 0;
  LinkId busiest;  ///< by utilisation; the lowest id of equals
};

/// Loads from the inside of nodes up to the core and back down. With several pods, those of each
/// pod follow the whole tier. `span`: the time that utilisations refer to. `loads`: by link id.
[[nodiscard]] std::vector<TierLoad> tier_loads(const topology::Cluster& cluster,
                                               std::span<const collectives::LinkLoad> loads,
                                               Time span);

}  // namespace railyard::sim
