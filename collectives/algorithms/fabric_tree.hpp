#pragma once

#include <cstddef>
#include <vector>

#include "collectives/algorithms/nic_heads.hpp"
#include "collectives/schedule/reducers.hpp"

namespace railyard::collectives {

/// A reduction tree of fabric switches (SHARP): edges from the heads to their leaf switches, from
/// several leaves to a spine, and from several spines to a core.
struct FabricTree {
  DeviceId root;
  std::vector<std::vector<Edge>> up;  ///< by step, ordered from the heads to the root
};

/// The lowest tree of switches that connects all heads. `number` (the channel) selects one of
/// several possible roots. `root` is none() if no switch is above the leaves of all heads. The
/// switches of the tree are added to `reducers`.
[[nodiscard]] FabricTree fabric_tree(const topology::Cluster& cluster,
                                     const std::vector<NicHead>& heads, std::size_t number,
                                     Reducers& reducers);

/// The same edges reversed, by step from the root to the heads.
[[nodiscard]] std::vector<std::vector<Edge>> downwards(std::vector<std::vector<Edge>> up);

}  // namespace railyard::collectives
