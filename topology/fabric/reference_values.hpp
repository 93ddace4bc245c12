#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// Sets what a generated fabric needs beside its kind, transport and tiers, from reference designs:
/// latencies and routing of the transport; where they are not set, the nodes that share leaf
/// switches and the leaf groups that share spines. A sentence in `notes` for each of the latter.
void set_reference_values(FabricSpec& fabric, std::vector<std::string>& notes);

/// How a fabric chooses among equal paths where its file does not say. Ethernet hashes: `ecmp`.
/// InfiniBand's subnet manager assigns destinations to paths: `rail`. So do the connections of a
/// dual-plane fabric, which are set up on disjoint paths (Alibaba's HPN, SIGCOMM 2024, section 6).
[[nodiscard]] RoutingPolicy usual_policy(FabricKind kind, Transport transport);
/// Queue pairs of a connection where the file does not say: one; two where a NIC has two ports in
/// separate planes, each of which carries half of its rate (Alibaba's HPN, SIGCOMM 2024, section 6:
/// connections in pairs with disjoint paths).
[[nodiscard]] int usual_queue_pairs(FabricKind kind);

}  // namespace railyard::topology
