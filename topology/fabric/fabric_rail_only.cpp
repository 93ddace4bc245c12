#include <fmt/format.h>

#include "core/diagnostic.hpp"
#include "topology/fabric/fabrics.hpp"
#include "topology/fabric/unit_clos.hpp"

namespace railyard::topology {

void build_rail_only(ClusterBuilder& builder) {
  const std::size_t nodes = builder.cluster().node_count();
  const auto& per_unit = builder.fabric().nodes_per_unit;
  if (per_unit && nodes > static_cast<std::size_t>(*per_unit))
    throw InputError(builder.cluster().spec().file, "/fabric/nodes_per_unit",
                     fmt::format("{} nodes are more than the {} of the one unit that a rail_only "
                                 "fabric has",
                                 nodes, *per_unit),
                     "raise nodes_per_unit, or take rail_clos to join several units");
  wire_clos(builder, plan_unit_clos(builder, {.has_rails = true, .tiers = 1}));
}

}  // namespace railyard::topology
