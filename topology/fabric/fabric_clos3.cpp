#include "topology/fabric/fabrics.hpp"
#include "topology/fabric/unit_clos.hpp"

namespace railyard::topology {

void build_clos3(ClusterBuilder& builder) {
  wire_clos(builder, plan_unit_clos(builder, {.has_rails = false, .tiers = 3}));
}

}  // namespace railyard::topology
