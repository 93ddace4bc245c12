#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Which links belong together in reports, in the order of a way out of a node: "nvlink", "c2c",
/// "pcie", "socket", "nic -> leaf", "leaf -> spine", "spine -> core", "core -> spine", "spine ->
/// leaf", "leaf -> nic", and other pairs of switch tiers where a fabric has them.
[[nodiscard]] std::string_view tier_of(const topology::Cluster& cluster, LinkId link);

/// The links of one tier after a run.
struct TierLoad {
  std::string tier;
  std::size_t links = 0;        ///< of the cluster, idle ones included
  std::size_t busy_links = 0;   ///< that carried something
  double bytes = 0;             ///< wire bytes over all links
  double mean_utilisation = 0;  ///< of all links over the span, 0..1
  double max_utilisation = 0;
  LinkId busiest;  ///< by utilisation; the lowest id of equals
};

/// One row per tier that the cluster has. `span`: the time that utilisations refer to.
[[nodiscard]] std::vector<TierLoad> tier_loads(const topology::Cluster& cluster,
                                               std::span<const collectives::LinkLoad> loads,
                                               Time span);

}  // namespace railyard::sim
