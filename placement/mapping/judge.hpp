#pragma once

#include "placement/mapping/optimise.hpp"

namespace railyard::placement {

/// The mapping of least routed time (RoutedScore with request.judged_by) among: the best axis order
/// over the free GPUs as given and by the tree, the finalists of a search with uplinks spread
/// evenly and, where request.evaluate.hashed, of one with hashed uplinks, and the best of those
/// with nodes of a leaf in other orders, which is all the same to every count but not to a hash.
/// The time of its busiest links, spread evenly, is never above that of either axis order; its
/// routed time is not above that of the one with the less busy links. Equal routed times: by
/// MappingScore.
[[nodiscard]] MappingChoice judged_mapping(const Tiers& tiers, const MappingRequest& request);

/// The mapping with nodes exchanged among those whose NICs plug into the same leaves and of which
/// the job uses the same GPUs: in the k-th such set each takes the place of the one k x `shift`
/// further on; shift 0 reverses them.
[[nodiscard]] Mapping reordered_nodes(const Tiers& tiers, const Mapping& mapping,
                                      std::size_t shift);

}  // namespace railyard::placement
