#pragma once

#include "placement/mapping/mapping_request.hpp"

namespace railyard::placement {

/// Searches mappings with each rank on a GPU of its type: every order of the axes over the free
/// GPUs in the given order, in the order of the tree, and packed into the fewest pods and leaves;
/// orders with split axes, by steps from the best two; runs of nodes aligned to leaves; then local
/// search that exchanges nodes of one shape. Deterministic for a seed. The result is never worse
/// than any mapping that was scored, which include the ranks in the order of `free` (with
/// judged_by: never worse than any axis order). Throws InputError if a type has fewer free GPUs
/// than ranks.
[[nodiscard]] MappingChoice optimise_mapping(const Tiers& tiers, const MappingRequest& request);

/// The best order of the axes over the first GPUs of `free`, in their order: the result of trying
/// all orders by hand.
[[nodiscard]] MappingChoice best_axis_order(const Tiers& tiers, const MappingRequest& request);

}  // namespace railyard::placement
