#pragma once

#include <cstddef>
#include <vector>

#include "collectives/algorithms/nic_heads.hpp"
#include "collectives/schedule/reducers.hpp"

namespace railyard::collectives {

/// A reduction tree in the fabric (SHARP): heads to their leaf switches, these to a spine where
/// they are several, and spines to a core.
struct FabricTree {
  DeviceId root;
  std::vector<std::vector<Edge>> up;  ///< edges by step, from the heads to the root
};

/// The lowest tree that joins all heads; among equal roots the one that `number` (the channel)
/// picks. root none() where no switch reaches all heads' leaves downwards.
[[nodiscard]] FabricTree fabric_tree(const topology::Cluster& cluster,
                                     const std::vector<NicHead>& heads, std::size_t number,
                                     Reducers& reducers);

/// The same edges from the root to the heads.
[[nodiscard]] std::vector<std::vector<Edge>> downwards(std::vector<std::vector<Edge>> up);

}  // namespace railyard::collectives
