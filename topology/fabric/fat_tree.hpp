#pragma once

#include "topology/cluster/cluster_builder.hpp"

namespace railyard::topology {

/// Builds a k-ary fat tree (Al-Fares et al., SIGCOMM 2008): k pods of k/2 leaves and k/2 spines,
/// k*k/4 cores, and k/2 NIC ports per leaf. Example: k = 4 has 4 pods of 2 leaves and 2 spines, 4
/// cores, and 16 NICs. Leaves without NICs after the last used leaf are left out. Throws InputError
/// if k is too small for the nodes.
void build_fat_tree(ClusterBuilder& builder);

}  // namespace railyard::topology
