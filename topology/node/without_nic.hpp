#pragma once

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// Removes a NIC, by its number in NodeShape, that failed before NCCL starts. As in NCCL, later
/// NICs are renumbered down by one; every NIC keeps its rail. Returns the node unchanged if it has
/// no such NIC.
[[nodiscard]] NodeSpec without_nic(NodeSpec node, int nic);

}  // namespace railyard::topology
