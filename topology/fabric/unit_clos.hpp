#pragma once

#include "topology/fabric/clos.hpp"

namespace railyard::topology {

/// A Clos fabric whose leaves each serve a unit of nodes_per_unit nodes.
struct UnitClos {
  bool has_rails = false;  ///< one leaf per unit and rail; else one leaf per unit
  int planes = 1;
  int tiers = 3;  ///< 2: every spine connects to every leaf
};

/// The leaf number of each NIC: that of its unit, or with rails that of its unit and rail.
[[nodiscard]] std::vector<int> leaves_of_nics(const ClusterBuilder& builder, bool has_rails,
                                              int nodes_per_unit);

/// Plans a Clos for the nodes of the builder with units_per_pod, spines_per_pod, cores and
/// oversubscriptions of its fabric. Uplinks are dimensioned for full units and pods, so that a
/// smaller cluster is a part of the larger one. Throws InputError if the numbers do not fit.
[[nodiscard]] ClosPlan plan_unit_clos(const ClusterBuilder& builder, const UnitClos& shape);

}  // namespace railyard::topology
