#pragma once

#include "topology/cluster/cluster_builder.hpp"

namespace railyard::topology {

/// Adds the switches and links of the builder's fabric to its nodes, by the generator of its kind.
/// The fabric's parameters have passed check_fabric, and there is at least one NIC. Throws
/// InputError where the numbers do not make a fabric. What is built is in docs/models/fabrics.md:
///   single_switch  all NICs on one switch
///   leaf_spine     one leaf per unit, every spine on every leaf
///   clos3          one leaf per unit, spines per pod of units, cores
///   fat_tree       fat_tree.hpp
///   rail_clos      one leaf per unit and NIC number (rail), spines per pod, cores above three
///   tiers rail_only      one leaf per rail and nothing above it: traffic between rails crosses
///   NVLink dual_plane     two ports per NIC, each half its rate, into two disjoint planes of
///   rail_clos explicit       explicit_fabric.hpp
void build_fabric(ClusterBuilder& builder);

}  // namespace railyard::topology
