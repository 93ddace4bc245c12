#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/schedule/group.hpp"
#include "hw/live_backend.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::hw {

/// The hosts of a live run in the order of their first rank, and the host of each rank.
struct LiveHosts {
  std::vector<std::string> names;
  std::vector<std::size_t> of_rank;  ///< index into names
  std::vector<std::size_t> ranks;    ///< number of ranks by host
};
[[nodiscard]] LiveHosts hosts_of(LiveBackend& backend);

/// A cluster for the schedules of a live run: one node per host, one GPU per rank on one NVSwitch,
/// each with a NIC. Its bandwidths have no meaning.
[[nodiscard]] topology::Cluster live_cluster(const LiveHosts& hosts);

/// The live ranks, in order, on a cluster whose nodes represent the hosts: the k-th rank of a host
/// is the k-th GPU of its node. If a node and its host differ in size, the first ranks of the
/// cluster in order. Throws InputError if the cluster is too small.
[[nodiscard]] std::shared_ptr<const collectives::Group> live_group(const topology::Cluster& cluster,
                                                                   const LiveHosts& hosts);

}  // namespace railyard::hw
