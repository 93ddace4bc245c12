#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/formats/switch_tree.hpp"

namespace railyard::topology {

/// A Slurm topology: the tree of its switches, and what had to be assumed, a
/// sentence each.
struct SlurmTopology {
  SwitchTree tree;
  std::vector<std::string> notes;
};

/// Blocks (at least one) as leaves below one spine.
[[nodiscard]] SlurmTopology topology_of_blocks(std::vector<TreeSwitch> blocks);

/// Reads Slurm's topology.conf: SwitchName=... Nodes=... or Switches=..., and
/// BlockName=... Nodes=... of block topologies (each block becomes a leaf below
/// one spine). LinkSpeed is left out: its unit is free. Throws InputError with
/// every problem and its line.
[[nodiscard]] SlurmTopology read_slurm_conf(std::string_view text, const std::string& file);

/// Reads Slurm's topology.yaml (24.11 and later): the topology that is the
/// cluster's default, or else the first one, of kind tree or block. Throws
/// InputError with every problem and its line.
[[nodiscard]] SlurmTopology read_slurm_yaml(std::string_view text, const std::string& file);

/// The tree that a scheduler should see: nodes that share leaf switches are
/// below one switch, those that reach each other through spines below the next
/// one, and so on. Levels that group nothing are left out. Node i is called
/// "node<i>".
[[nodiscard]] SwitchTree tree_of_cluster(const Cluster& cluster);

/// topology.conf of a tree.
[[nodiscard]] std::string write_slurm_conf(const SwitchTree& tree);
/// topology.yaml of a tree, as the cluster's default topology called `name`.
[[nodiscard]] std::string write_slurm_yaml(const SwitchTree& tree, std::string_view name);

}  // namespace railyard::topology
