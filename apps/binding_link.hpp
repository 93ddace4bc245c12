#pragma once

#include <string>

#include "collectives/group.hpp"
#include "topology/cluster.hpp"

namespace railyard::apps {

/// The slowest link between the first two of the group's GPUs on its first node, as NCCL's graphs
/// know links: "node0/gpu0 -> node0/nvswitch". "" where the node has one GPU of the group.
[[nodiscard]] std::string slowest_link_inside(const topology::Cluster& cluster,
                                              const collectives::Group& group);

/// The slowest link from the group's first GPU to its NIC and out of it; NCCL sees no further.
[[nodiscard]] std::string slowest_link_out(const topology::Cluster& cluster,
                                           const collectives::Group& group);

}  // namespace railyard::apps
