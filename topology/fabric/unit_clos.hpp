#pragma once

#include "topology/fabric/clos.hpp"

namespace railyard::topology {

/// A Clos fabric whose leaves serve units of nodes_per_unit nodes.
struct UnitClos {
  bool has_rails = false;  ///< a leaf per unit and NIC number, else one leaf per unit
  int planes = 1;
  int tiers = 3;  ///< 2: every spine joins every leaf
};

/// The leaf of each NIC: the leaf of its unit, or with rails the one of its unit and rail.
[[nodiscard]] std::vector<int> leaves_of_nics(const ClusterBuilder& builder, bool has_rails,
                                              int nodes_per_unit);

/// The plan for the nodes of the builder and its fabric's units_per_pod, spines_per_pod, cores and
/// oversubscriptions. Uplinks are planned for full units and pods, so that a smaller cluster is a
/// part of the larger one. Throws InputError where the numbers do not fit.
[[nodiscard]] ClosPlan plan_unit_clos(const ClusterBuilder& builder, const UnitClos& shape);

}  // namespace railyard::topology
