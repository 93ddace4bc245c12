#pragma once

#include <optional>
#include <span>
#include <vector>

#include "placement/mapping/optimise.hpp"
#include "placement/mapping/typed_mapping.hpp"

namespace railyard::placement {

/// What of a strategy on several types is to be mapped where.
struct TypedMappingRequest {
  const Strategy& strategy;
  std::span<const GpuType> types;  ///< with the GPUs that may be used; at least as many as ranks
  std::span<const TrafficPhase> phases{};
  EvaluateOptions evaluate{};
  std::uint64_t seed = 1;
  /// Set: what is chosen is the best of the finalists by routing their flows this way.
  std::optional<topology::RoutingOptions> judged_by{};
};

/// optimise_mapping with every rank on a GPU of its type: orders of the axes over each type's free
/// GPUs as given, by the tree and packed into the fewest pods and leaves; orders with split axes by
/// steps from the best; then local search that exchanges nodes of one shape. Never worse than the
/// best axis order. Throws InputError where a type has fewer free GPUs than ranks.
[[nodiscard]] MappingChoice optimise_mapping(const Tiers& tiers,
                                             const TypedMappingRequest& request);

/// The best of every order of the axes, each rank on the next of its type's GPUs as given.
[[nodiscard]] MappingChoice best_axis_order(const Tiers& tiers, const TypedMappingRequest& request);

}  // namespace railyard::placement
