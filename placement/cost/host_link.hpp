#pragma once

#include "core/units.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::placement {

/// What a GPU gets of the way to its host's memory when all GPUs of the node use theirs at once, as
/// they do when a step offloads: over the PCIe links on the way, the least of a link's bandwidth
/// over the GPUs behind it, and at most `alone`. The GPU that gets least counts, since a step
/// waits for it. `alone` where the node's description has no GPU on PCIe.
[[nodiscard]] Bandwidth host_bandwidth(const topology::NodeSpec& node, Bandwidth alone);

}  // namespace railyard::placement
