#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// Fills the parameters of a generated fabric other than kind, transport and tiers from reference
/// designs: latencies and routing by transport and, if they are not set, nodes_per_unit and
/// units_per_pod. Appends a note for each of these two that it sets.
void set_reference_values(FabricSpec& fabric, std::vector<std::string>& notes);

/// The default routing policy if a cluster file does not give one. Ethernet switches hash: `ecmp`.
/// InfiniBand's subnet manager assigns destinations to paths: `rail`. Dual-plane fabrics also use
/// `rail`, because their connections are set up on disjoint paths (Alibaba's HPN, SIGCOMM 2024,
/// section 6).
[[nodiscard]] RoutingPolicy usual_policy(FabricKind kind, Transport transport);
/// The default number of queue pairs per connection if a cluster file does not give one: 1, or 2 if
/// a NIC has two ports in separate planes, each with half of its rate (Alibaba's HPN, SIGCOMM 2024,
/// section 6: pairs of connections on disjoint paths).
[[nodiscard]] int usual_queue_pairs(FabricKind kind);

}  // namespace railyard::topology
