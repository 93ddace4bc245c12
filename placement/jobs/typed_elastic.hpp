#pragma once

#include "placement/cost/gpu_type.hpp"
#include "placement/jobs/elastic.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// The mapping of `after` that moves little: a rank keeps the GPU that the same rank of a replica
/// with the same types had before, where it is left; the others take what is left of their type.
/// Requires enough GPUs of each type.
[[nodiscard]] Mapping patched_mapping(const Placed& before, const Strategy& after,
                                      std::span<const GpuType> left);

/// The same widths and stages with as many replicas as the types have GPUs for, micro-batches dealt
/// anew; classes without room for a replica are left out. std::nullopt where nothing of it fits.
[[nodiscard]] std::optional<Scored> same_split(const CostContext& context, const Strategy& before);

/// Time until the last node has what it needs, each over all its NICs.
[[nodiscard]] Time move_time(const Moves& moves, const topology::Cluster& cluster,
                             std::span<const GpuType> types);

}  // namespace railyard::placement
