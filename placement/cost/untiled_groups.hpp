#pragma once

#include <string>

#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// The first dimension whose groups do not tile nodes, so that some of its groups cross nodes: "ep
/// 16 spans 16 GPUs" on nodes of 72. "" if all groups divide a node or fill whole nodes. The step
/// formula uses the shape of the first group, which is inside a node (group_shapes.hpp); simulated
/// steps use all groups. Assumes the order tp-cp-dp-pp.
[[nodiscard]] std::string untiled_groups(const Strategy& strategy, int gpus_per_node);

}  // namespace railyard::placement
