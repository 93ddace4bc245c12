#include <fmt/format.h>

#include "core/diagnostic.hpp"
#include "topology/clos.hpp"
#include "topology/fabrics.hpp"

namespace railyard::topology {

/// NICs fill the leaves in order, k/2 on each; leaves that no NIC needs are left out.
void build_fat_tree(ClusterBuilder& builder) {
  const FabricSpec& fabric = builder.fabric();
  const auto k = static_cast<std::int64_t>(*fabric.k);
  const auto nics = static_cast<std::int64_t>(builder.nics().size());
  if (nics > k * k * k / 4) {
    std::int64_t fits = k;
    while (fits * fits * fits / 4 < nics) fits += 2;
    throw InputError(builder.cluster().spec().file, "/fabric/k",
                     fmt::format("a fat tree of {}-port switches has {} ports for NICs, not {}", k,
                                 k * k * k / 4, nics),
                     fmt::format("k = {} is the first that fits", fits));
  }
  const int half = static_cast<int>(k / 2);
  const Bandwidth port = fabric.port_bandwidth.value_or(builder.fastest_nic());
  const Uplinks up{.switches = half,
                   .parallel = 1,
                   .bandwidth = fabric.fabric_bandwidth.value_or(port)};
  ClosPlan plan{.leaves = static_cast<int>((nics + half - 1) / half),
                .leaves_per_pod = half,
                .leaf_up = up,
                .spine_up = up};
  for (std::int64_t nic = 0; nic < nics; ++nic)
    plan.leaf_of_nic.push_back(static_cast<int>(nic / half));
  wire_clos(builder, plan);
}

}  // namespace railyard::topology
