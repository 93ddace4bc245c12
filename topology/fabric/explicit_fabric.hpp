#pragma once

#include "topology/cluster/cluster_builder.hpp"

namespace railyard::topology {

/// Adds the listed switches and cables of an explicit fabric. Throws InputError with all problems
/// in the lists.
void build_explicit(ClusterBuilder& builder);

}  // namespace railyard::topology
