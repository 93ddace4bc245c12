#pragma once

#include <string>

#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The slowest link on the path between the first two GPUs of the group on its first node, for
/// example node0/gpu0 -> node0/nvswitch. Bandwidths are NCCL's. none() if the node has only one GPU
/// of the group.
[[nodiscard]] LinkId slowest_link_inside(const topology::Cluster& cluster, const Group& group);

/// The slowest link from the group's first GPU through its NIC out of the node. Links of the fabric
/// are not considered, as in NCCL. slowest_link_inside() if there is no NIC.
[[nodiscard]] LinkId slowest_link_out(const topology::Cluster& cluster, const Group& group);

/// The link by which the NIC of the group's first GPU leaves the node; slowest_link_inside() if
/// there is no NIC.
[[nodiscard]] LinkId port_out(const topology::Cluster& cluster, const Group& group);

/// The name of a link; "" for none().
[[nodiscard]] std::string link_name(const topology::Cluster& cluster, LinkId link);

}  // namespace railyard::collectives
