#pragma once

#include <string>

#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The node as XML for NCCL_TOPO_FILE (ranks are GPU numbers), or for RCCL if the GPUs are AMD's.
/// Reading the XML gives the same node except for properties that the format does not have:
/// socket_bandwidth, and NVLinks that are listed in one direction only. Missing bus ids are
/// invented.
[[nodiscard]] std::string export_nccl_xml(const NodeSpec& node);

}  // namespace railyard::topology
