#pragma once

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// Replaces `repeat` copies of a node by what they are, each with a host of its own; leaves 1.
void write_out_copies(NodeSpec& spec);

}  // namespace railyard::topology
