#include "topology/fabric/fat_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "topology/fabric/unit_clos.hpp"

namespace railyard::topology {
namespace {

[[noreturn]] void refuse(const ClusterBuilder& builder, std::string_view key,
                         const std::string& message, const std::string& hint) {
  throw InputError(builder.cluster().spec().file, fmt::format("/fabric/{}", key), message, hint);
}

/// The leaf of each NIC. Without nodes_per_unit, NICs fill the leaves in order, k/2 on each. With
/// it, each rail of a unit has its own leaf.
std::vector<int> leaves_of_fat_tree(const ClusterBuilder& builder, int ports_of_leaf) {
  const auto& nodes_per_unit = builder.fabric().nodes_per_unit;
  if (nodes_per_unit) {
    const int most = ports_of_leaf / builder.most_nics_of_rail();
    if (*nodes_per_unit > most)
      refuse(builder, "nodes_per_unit",
             fmt::format("a leaf has {} ports down, not enough for {} nodes", ports_of_leaf,
                         *nodes_per_unit),
             fmt::format("use at most {}", most));
    return leaves_of_nics(builder, true, *nodes_per_unit);
  }
  std::vector<int> leaves;
  for (std::size_t nic = 0; nic < builder.nics().size(); ++nic)
    leaves.push_back(static_cast<int>(nic) / ports_of_leaf);
  return leaves;
}

}  // namespace

/// Leaves after the last one with a NIC are left out.
void build_fat_tree(ClusterBuilder& builder) {
  const FabricSpec& fabric = builder.fabric();
  const int half = *fabric.k / 2;
  ClosPlan plan{.leaf_of_nic = leaves_of_fat_tree(builder, half)};
  plan.leaves = *std::ranges::max_element(plan.leaf_of_nic) + 1;
  plan.leaves_per_pod = half;
  if (plan.leaves > 2 * half * half) {
    std::int64_t fits = std::int64_t{2} * half;
    while (fits * fits * fits / 4 < static_cast<std::int64_t>(plan.leaves) * half) fits += 2;
    refuse(builder, "k",
           fmt::format("a fat tree of {}-port switches has {} leaves, not {}", *fabric.k,
                       2 * half * half, plan.leaves),
           fmt::format("use k = {}", fits));
  }
  const Bandwidth port = fabric.port_bandwidth.value_or(builder.fastest_nic());
  plan.leaf_up = {
      .switches = half, .parallel = 1, .bandwidth = fabric.fabric_bandwidth.value_or(port)};
  plan.spine_up = plan.leaf_up;
  wire_clos(builder, plan);
}

}  // namespace railyard::topology
