#include "topology/cluster/add_faults.hpp"

namespace railyard::topology {

void add_faults(Faults& all, const Faults& more) {
  all.failed.insert(all.failed.end(), more.failed.begin(), more.failed.end());
  all.degraded.insert(all.degraded.end(), more.degraded.begin(), more.degraded.end());
}

}  // namespace railyard::topology
