#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/schedule/group.hpp"
#include "hw/live_backend.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The hosts of a live run in the order of their first rank, and the host of each rank.
struct LiveHosts {
  std::vector<std::string> names;
  std::vector<std::size_t> of_rank;  ///< index into names
  std::vector<std::size_t> ranks;    ///< number of ranks by host
};
[[nodiscard]] LiveHosts hosts_of(hw::LiveBackend& backend);

/// The ranks of a live run as a cluster, to make schedules for: a node per host whose GPUs, one per
/// rank, hang on one switch, each with a NIC to another. Its bandwidths stand for nothing.
[[nodiscard]] topology::Cluster live_cluster(const LiveHosts& hosts);

/// The live ranks, in order, on a cluster whose nodes stand for the hosts: the k-th rank of a host
/// is the k-th GPU of its node. Where a node has not as many GPUs as a host has ranks, the first
/// ranks of the cluster in their order. Throws InputError where it has too few.
[[nodiscard]] std::shared_ptr<const collectives::Group> live_group(const topology::Cluster& cluster,
                                                                   const LiveHosts& hosts);

}  // namespace railyard::apps
