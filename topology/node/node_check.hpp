#pragma once

#include <string>
#include <vector>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// Something that keeps a NodeSpec from being a node; `pointer` is a JSON pointer into it.
struct NodeProblem {
  std::string pointer;
  std::string message;
  std::string hint;
};

/// What is wrong with a node as a whole: no GPUs, numbers used twice, NVLinks and C2C of GPUs or
/// CPUs that are not there, several CPUs of which nobody says how fast they are joined.
[[nodiscard]] std::vector<NodeProblem> check_node(const NodeSpec& spec);

}  // namespace railyard::topology
