#pragma once

#include <string>
#include <vector>

#include "placement/capacity/fabric/fabric_plan.hpp"

namespace railyard::placement {

/// Reads a list of fabrics that can be designed, without duplicates: "rail_clos,leaf_spine". Throws
/// InputError at `flag` for other names and for an empty list.
[[nodiscard]] std::vector<topology::FabricKind> parse_fabric_kinds(const std::string& text,
                                                                   const std::string& flag);

/// Reads the strategy of the request's job on its GPUs, for example "tp=8,pp=8,zero=1". It does not
/// depend on the fabric. Throws InputError at "--fix".
[[nodiscard]] Strategy parse_plan_strategy(const std::string& text,
                                           const FabricPlanRequest& request);

}  // namespace railyard::placement
