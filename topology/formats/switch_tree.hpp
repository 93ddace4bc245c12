#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// A switch of a tree and what hangs below it: hosts, or other switches.
struct TreeSwitch {
  std::string name{};
  std::vector<std::string> switches{};
  std::vector<std::string> hosts{};
  std::string where{};  ///< "line 12", for errors
};

/// A tree of switches as schedulers see it; a forest where it has several
/// roots.
struct SwitchTree {
  std::vector<TreeSwitch> switches;

  /// Every host once, in the order of the file.
  [[nodiscard]] std::vector<std::string> hosts() const;
};

/// Adds a problem for each switch or host that is listed twice or below two
/// switches, a switch that is not there, one without anything below it, a
/// cycle, and more than three levels.
void check_tree(const SwitchTree& tree, Diagnostics& problems);

/// The tree as an explicit fabric below which host i is node i with `nic_count`
/// NICs of `nic_rate`: every NIC of a host has a cable to its switch, and as
/// many cables go up from a switch as come from below, divided by
/// `oversubscription` (a scheduler's file gives no cables). Requires a checked
/// tree.
[[nodiscard]] FabricSpec fabric_of_tree(const SwitchTree& tree, int nic_count, Bandwidth nic_rate,
                                        double oversubscription = 1.0);

}  // namespace railyard::topology
