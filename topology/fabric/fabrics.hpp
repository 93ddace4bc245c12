#pragma once

#include "topology/cluster/cluster_builder.hpp"

/// The fabric generators: each adds its switches and links to a builder that has the nodes. The
/// fabric's parameters have passed check_fabric, and there is at least one NIC. They throw
/// InputError where the numbers do not make a fabric. What they build is in docs/models/fabrics.md.
namespace railyard::topology {

/// All NICs on one switch.
void build_single_switch(ClusterBuilder& builder);
/// One leaf per unit, every spine on every leaf.
void build_leaf_spine(ClusterBuilder& builder);
/// One leaf per unit, spines per pod of units, cores (Baidu's unit, leaf and spine switches).
void build_clos3(ClusterBuilder& builder);
/// Al-Fares et al., SIGCOMM 2008: k pods of k/2 leaves and k/2 spines, k*k/4 cores, k/2 ports a
/// leaf.
void build_fat_tree(ClusterBuilder& builder);
/// One leaf per unit and NIC number (rail), spines per pod, cores above three tiers.
void build_rail_clos(ClusterBuilder& builder);
/// One leaf per rail and nothing above it: traffic between rails crosses NVLink.
void build_rail_only(ClusterBuilder& builder);
/// Two ports per NIC, each half its rate, into two disjoint planes that are built as rail_clos.
void build_dual_plane(ClusterBuilder& builder);
/// The listed switches and cables.
void build_explicit(ClusterBuilder& builder);

}  // namespace railyard::topology
