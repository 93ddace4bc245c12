#pragma once

#include <string>
#include <vector>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// An error in a NodeSpec; `pointer` is a JSON pointer into it.
struct NodeProblem {
  std::string pointer;
  std::string message;
  std::string hint;
};

/// Finds errors in a node as a whole: no GPUs, duplicate numbers, NVLinks or C2C links of GPUs or
/// CPUs that do not exist, and several CPUs without a known bandwidth between them.
[[nodiscard]] std::vector<NodeProblem> check_node(const NodeSpec& spec);

}  // namespace railyard::topology
