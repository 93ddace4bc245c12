#pragma once

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// Expands `repeat` identical copies of a node into explicit devices, each copy with its own host,
/// and sets `repeat` to 1.
void write_out_copies(NodeSpec& spec);

}  // namespace railyard::topology
