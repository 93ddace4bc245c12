#pragma once

#include <string>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// XML that NCCL reads through NCCL_TOPO_FILE (ranks are numbered by GPU), and RCCL where the GPUs
/// are AMD's. Reading it back gives the same node, but for what the format cannot say: NVLinks
/// listed in one direction only, and socket_bandwidth. Bus ids that are missing are made up.
[[nodiscard]] std::string export_nccl_xml(const NodeSpec& node);

}  // namespace railyard::topology
