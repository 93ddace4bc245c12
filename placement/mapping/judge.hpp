#pragma once

#include "placement/mapping/mapping_request.hpp"

namespace railyard::placement {

/// The mapping of least routed time (RoutedScore with request.judged_by) among: the best axis order
/// over the free GPUs as given and by the tree, the finalists of a search with uplinks spread
/// evenly and, where request.evaluate.hashed, of one with hashed uplinks, and the best of those
/// with nodes of a leaf in other orders, which is all the same to every count but not to a hash.
/// The time of its busiest links, spread evenly, is never above that of either axis order; its
/// routed time is not above that of the one with the less busy links. Equal routed times: by
/// MappingScore.
[[nodiscard]] MappingChoice judged_mapping(const Tiers& tiers, const MappingRequest& request);

/// How nodes are exchanged among those of one shape whose NICs plug into the same leaves and of
/// which the job uses the same GPUs: in the k-th such set (from 0) each takes the place of the one
/// by + k x more_by further on.
struct NodeShift {
  std::size_t by = 0, more_by = 0;
};
[[nodiscard]] Mapping reordered_nodes(const Tiers& tiers, const Mapping& mapping, NodeShift shift);

}  // namespace railyard::placement
