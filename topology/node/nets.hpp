#pragma once

#include <vector>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The NIC ports of a node by NCCL's net number, the order of NodeShape's NICs.
[[nodiscard]] std::vector<NetSpec*> nets_of(NodeSpec& node);
[[nodiscard]] std::vector<const NetSpec*> nets_of(const NodeSpec& node);

}  // namespace railyard::topology
