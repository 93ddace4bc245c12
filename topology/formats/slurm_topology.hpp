#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/formats/switch_tree.hpp"

namespace railyard::topology {

/// A Slurm topology: its tree of switches, and notes on what was assumed, one sentence each.
struct SlurmTopology {
  SwitchTree tree;
  std::vector<std::string> notes;
};

/// A topology whose leaves are the blocks (at least one), below one spine.
[[nodiscard]] SlurmTopology topology_of_blocks(std::vector<TreeSwitch> blocks);

/// Reads Slurm's topology.conf: SwitchName=... with Nodes=... or Switches=..., or BlockName=...
/// with Nodes=... (block topology; each block becomes a leaf below one spine). LinkSpeed is
/// ignored, because Slurm does not define its unit. Throws InputError with every problem and its
/// line.
[[nodiscard]] SlurmTopology read_slurm_conf(std::string_view text, const std::string& file);

/// Reads Slurm's topology.yaml (Slurm 24.11 and later): the cluster's default topology, or the
/// first one if there is no default. Its kind must be tree or block. Throws InputError with every
/// problem and its line.
[[nodiscard]] SlurmTopology read_slurm_yaml(std::string_view text, const std::string& file);

/// The tree for a scheduler: nodes that share leaf switches are below one switch; nodes that reach
/// each other through spines are below a common switch on the next level, and so on. A level that
/// does not combine groups is left out. The name of node i is "node<i>".
[[nodiscard]] SwitchTree tree_of_cluster(const Cluster& cluster);

/// The tree as the text of topology.conf.
[[nodiscard]] std::string write_slurm_conf(const SwitchTree& tree);
/// The tree as the text of topology.yaml, as the cluster's default topology with this name.
[[nodiscard]] std::string write_slurm_yaml(const SwitchTree& tree, std::string_view name);

}  // namespace railyard::topology
