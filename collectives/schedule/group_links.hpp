#pragma once

#include <string>

#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The slowest link between the first two of the group's GPUs on its first node, as NCCL's graphs
/// know links: node0/gpu0 -> node0/nvswitch. none() where the node has one GPU of the group.
[[nodiscard]] LinkId slowest_link_inside(const topology::Cluster& cluster, const Group& group);

/// The slowest link from the group's first GPU to its NIC and out of it; NCCL sees no further.
[[nodiscard]] LinkId slowest_link_out(const topology::Cluster& cluster, const Group& group);

/// The link by which the NIC of the group's first GPU leaves the node; where it has none, the
/// slowest one inside.
[[nodiscard]] LinkId port_out(const topology::Cluster& cluster, const Group& group);

/// The name of a link, "" for none().
[[nodiscard]] std::string link_name(const topology::Cluster& cluster, LinkId link);

}  // namespace railyard::collectives
