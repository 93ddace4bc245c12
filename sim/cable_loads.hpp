#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// The load of a cable between a NIC and a switch, or between two switches. For parallel cables,
/// that of the busiest.
struct CableLoad {
  std::string cable{};      ///< "pod0/leaf0 -- pod0/spine1", the lower end first
  double up = 0, down = 0;  ///< utilisation towards the core and from it, 0 to 1
};

/// Loads of the cables in a picture of the cluster (topology/picture): all of a small cluster, the
/// first of each row of a large one; idle ones included. `span`: the time that utilisations refer
/// to.
[[nodiscard]] std::vector<CableLoad> cable_loads(const topology::Cluster& cluster,
                                                 const std::vector<collectives::LinkLoad>& loads,
                                                 Time span);

}  // namespace railyard::sim
