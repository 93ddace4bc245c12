#include "topology/fabric/clos.hpp"
#include "topology/fabric/fabrics.hpp"

namespace railyard::topology {

void build_single_switch(ClusterBuilder& builder) {
  ClosPlan plan{.leaves = 1, .leaves_per_pod = 1};
  plan.leaf_of_nic.assign(builder.nics().size(), 0);
  wire_clos(builder, plan);
}

}  // namespace railyard::topology
