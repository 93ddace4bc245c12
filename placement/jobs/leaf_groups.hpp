#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "placement/jobs/place_problem.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

// A leaf group is a set of nodes whose NICs connect to the same leaf switches.

/// The leaves of a node's NICs, in the order of the NICs. Equal for all nodes of a leaf group.
[[nodiscard]] std::vector<std::uint32_t> leaves_of(const Tiers& tiers, std::uint32_t node);
/// Number of leaf groups that contain these GPUs.
[[nodiscard]] std::size_t count_leaf_groups(const Tiers& tiers, std::span<const Rank> gpus);

/// By node: true if all its GPUs are free.
[[nodiscard]] std::vector<bool> free_nodes(const PlaceProblem& problem);
/// The nodes of GPUs, each once, in order.
[[nodiscard]] std::vector<std::uint32_t> nodes_of(const topology::Cluster& cluster,
                                                  std::span<const Rank> gpus);
/// The nodes of GPUs as text: "0-3,8".
[[nodiscard]] std::string node_list(const topology::Cluster& cluster, std::span<const Rank> gpus);

/// How many nodes of a leaf group are free before a job starts, used by it, and free after.
struct LeafGroupUse {
  std::string leaf;  ///< name of the first leaf
  int nodes = 0, free_before = 0, used = 0, free_after = 0;
};
/// By leaf group. Groups with neither a free node nor a node of the job are left out.
[[nodiscard]] std::vector<LeafGroupUse> leaf_group_use(const PlaceProblem& problem,
                                                       const Tiers& tiers, const Mapping& mapping);

}  // namespace railyard::placement
