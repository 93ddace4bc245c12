#pragma once

#include <string>

#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// The first dimension whose groups of neighbours do not tile a node, so that some groups cross
/// nodes: "ep 16 spans 16 GPUs" on nodes of 72; "": all groups tile, or fill whole nodes. The
/// formula of a step counts each group as the first one, which is inside a node (group_shapes.hpp);
/// whole steps are simulated with all of them. Ranks are in the order tp-cp-dp-pp.
[[nodiscard]] std::string untiled_groups(const Strategy& strategy, int gpus_per_node);

}  // namespace railyard::placement
