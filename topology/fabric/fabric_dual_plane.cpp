#include "topology/fabric/fabrics.hpp"
#include "topology/fabric/unit_clos.hpp"

namespace railyard::topology {

void build_dual_plane(ClusterBuilder& builder) {
  wire_clos(
      builder,
      plan_unit_clos(builder, {.has_rails = true, .planes = 2, .tiers = builder.fabric().tiers}));
}

}  // namespace railyard::topology
