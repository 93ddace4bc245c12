#pragma once

#include "core/units.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::placement {

/// Bandwidth of one GPU to its host's memory if all GPUs of the node transfer at the same time, as
/// in a step with offloading: the minimum over the PCIe links on the way of link bandwidth / GPUs
/// behind it, at most `alone`. The slowest GPU counts, because a step waits for it. `alone` if the
/// node's description has no GPU on PCIe.
[[nodiscard]] Bandwidth host_bandwidth(const topology::NodeSpec& node, Bandwidth alone);

}  // namespace railyard::placement
