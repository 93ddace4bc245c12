#pragma once

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// A node after one of its NICs (NodeShape's number) has failed, as NCCL finds it at its start: the
/// NIC is not there, those behind it move up by one number, and each stays on its rail. A node
/// without that NIC is returned as it is.
[[nodiscard]] NodeSpec without_nic(NodeSpec node, int nic);

}  // namespace railyard::topology
