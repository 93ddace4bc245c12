#include "placement/mapping/optimise.hpp"

#include "placement/mapping/mapping_search.hpp"
#include "placement/mapping/routed_choice.hpp"

namespace railyard::placement {

MappingChoice optimise_mapping(const Tiers& tiers, const MappingRequest& request) {
  if (request.judged_by) return best_routed_mapping(tiers, request);
  const MappingSpace space(tiers, request);
  return std::move(MappingSearch(tiers, request, space).run().front().choice);
}

MappingChoice best_axis_order(const Tiers& tiers, const MappingRequest& request) {
  const MappingSpace space(tiers, request);
  return MappingSearch(tiers, request, space)
      .best_axis_order(request.free.first(request.ranks_by_type()))
      .choice;
}

}  // namespace railyard::placement
