#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// A switch of a tree, with the hosts or switches directly below it.
struct TreeSwitch {
  std::string name{};
  std::vector<std::string> switches{};
  std::vector<std::string> hosts{};
  std::string where{};  ///< position in the file ("line 12"), for errors
};

/// The switches of a scheduler's topology; a forest if several switches have no parent.
struct SwitchTree {
  std::vector<TreeSwitch> switches;

  /// All hosts, without duplicates, in the order of the file.
  [[nodiscard]] std::vector<std::string> hosts() const;
};

/// Adds a problem for each switch or host that is listed twice or has two parents, each switch that
/// is referred to but missing, each switch without anything below it, each cycle, and if the tree
/// has more than three levels.
void check_tree(const SwitchTree& tree, Diagnostics& problems);

/// The tree as an explicit fabric, in which host i is node i with `nic_count` NICs of `nic_rate`.
/// Every NIC of a host has a cable to the switch of the host. The number of cables from a switch to
/// its parent is the number of cables from below divided by `oversubscription`, because a
/// scheduler's file lists no cables. Requires a tree without problems (check_tree).
[[nodiscard]] FabricSpec fabric_of_tree(const SwitchTree& tree, int nic_count, Bandwidth nic_rate,
                                        double oversubscription = 1.0);

}  // namespace railyard::topology
