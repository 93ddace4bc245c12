#pragma once

#include <string>

#include "collectives/algorithms/algorithm.hpp"

namespace railyard::collectives {

/// Empty if every node has as many members of the group, else which differ.
[[nodiscard]] std::string why_not_equal_sizes(const Request& request);

/// All-to-all in two phases: inside the node, so that each rank holds what the ranks of its number
/// on the other nodes need; then along the rails, a node's blocks for one rank together.
[[nodiscard]] Schedule build_hierarchical_all_to_all(const Request& request);

}  // namespace railyard::collectives
