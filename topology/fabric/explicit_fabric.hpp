#pragma once

#include "topology/cluster/cluster_builder.hpp"

namespace railyard::topology {

/// The listed switches and cables. Throws InputError with every problem of the lists.
void build_explicit(ClusterBuilder& builder);

}  // namespace railyard::topology
