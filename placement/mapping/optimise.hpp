#pragma once

#include "placement/mapping/mapping_request.hpp"

namespace railyard::placement {

/// Searches: every order of the axes over the free GPUs in the order given, by the tree and packed
/// into the fewest pods and leaves; orders with split axes by steps from the best two; runs of
/// nodes aligned to leaves; then local search that exchanges nodes. Deterministic for a seed. The
/// result is never worse than any mapping that was scored, rank i on free[i] among them (with
/// judged_by: than any axis order). Throws InputError when there are fewer free GPUs than ranks.
[[nodiscard]] MappingChoice optimise_mapping(const Tiers& tiers, const MappingRequest& request);

/// The best of every order of the axes laid over the first GPUs of `free`, in their order: what a
/// user gets who tries them all.
[[nodiscard]] MappingChoice best_axis_order(const Tiers& tiers, const MappingRequest& request);

}  // namespace railyard::placement
