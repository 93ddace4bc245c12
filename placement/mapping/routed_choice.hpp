#pragma once

#include "placement/mapping/mapping_request.hpp"

namespace railyard::placement {

/// The mapping with the least routed time (RoutedScore with request.judged_by). Candidates: the
/// best axis order over the free GPUs as given and in the order of the tree; the finalists of a
/// search with evenly spread uplinks and, with request.evaluate.hashed, of one with hashed uplinks;
/// and the best of these with the nodes below a leaf in other orders, which changes collisions
/// only. With traffic spread evenly, its busiest links take at most as long as those of either axis
/// order. Its routed time is at most that of the better axis order (the one with less busy links).
/// Mappings with equal routed times compare by MappingScore.
[[nodiscard]] MappingChoice best_routed_mapping(const Tiers& tiers, const MappingRequest& request);

/// A permutation of nodes that have the same shape, connect to the same leaves and give the job the
/// same GPUs: in the k-th such set (from 0) each node is replaced by the one by + k x more_by
/// places further on.
struct NodeShift {
  std::size_t by = 0, more_by = 0;
};
[[nodiscard]] Mapping reordered_nodes(const Tiers& tiers, const Mapping& mapping, NodeShift shift);

}  // namespace railyard::placement
