#pragma once

#include <string>

#include "collectives/algorithms/algorithm.hpp"

namespace railyard::collectives {

/// Empty if every node has the same number of group members; otherwise the reason, with the nodes
/// that differ.
[[nodiscard]] std::string why_not_equal_sizes(const Request& request);

/// The schedule of a hierarchical all-to-all in two phases. First, ranks of a node exchange blocks
/// until each has all blocks for the ranks with its local number on other nodes. Then ranks with
/// equal local numbers exchange between nodes (along rails), each message containing all blocks of
/// its node for the destination rank.
[[nodiscard]] Schedule build_hierarchical_all_to_all(const Request& request);

}  // namespace railyard::collectives
