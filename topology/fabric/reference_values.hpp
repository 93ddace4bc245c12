#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// Sets what a generated fabric needs beside its kind, transport and tiers, from reference designs:
/// latencies and routing of the transport; where they are not set, the nodes that share leaf
/// switches and the leaf groups that share spines. A sentence in `notes` for each of the latter.
void set_reference_values(FabricSpec& fabric, std::vector<std::string>& notes);

}  // namespace railyard::topology
