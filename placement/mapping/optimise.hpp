#pragma once

#include "placement/mapping/mapping_request.hpp"

namespace railyard::placement {

/// Searches with each rank on a GPU of its type: every order of the axes over the free GPUs in the
/// order given, by the tree and packed into the fewest pods and leaves; orders with split axes by
/// steps from the best two; runs of nodes aligned to leaves; then local search that exchanges nodes
/// of one shape. Deterministic for a seed. The result is never worse than any mapping that was
/// scored, ranks in order on `free` among them (with judged_by: than any axis order). Throws
/// InputError when a type has fewer free GPUs than ranks.
[[nodiscard]] MappingChoice optimise_mapping(const Tiers& tiers, const MappingRequest& request);

/// The best of every order of the axes laid over the first GPUs of `free`, in their order: what a
/// user gets who tries them all.
[[nodiscard]] MappingChoice best_axis_order(const Tiers& tiers, const MappingRequest& request);

}  // namespace railyard::placement
