#pragma once

#include "topology/cluster/cluster_builder.hpp"

namespace railyard::topology {

/// Al-Fares et al., SIGCOMM 2008: k pods of k/2 leaves and k/2 spines, k*k/4 cores, k/2 ports a
/// leaf. With k = 4: 4 pods of 2 leaves and 2 spines, 4 cores, 16 NICs. Throws InputError where k
/// is too small for the nodes.
void build_fat_tree(ClusterBuilder& builder);

}  // namespace railyard::topology
