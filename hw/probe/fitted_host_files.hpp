#pragma once

#include <string>
#include <vector>

#include "hw/probe/host_fit.hpp"
#include "hw/probe/probed_cluster.hpp"

namespace railyard::hw {

/// The files of a cluster of ranks on cores after a fit.
struct FittedHostFiles {
  std::string cluster;          ///< text of the cluster file
  std::vector<NodeFile> nodes;  ///< beside it: the nodes and their ranks
};

/// The cluster file `cluster` (a name or a path) with the values that were fitted, and its nodes.
/// `file`: where it will be written, which names the files beside it.
[[nodiscard]] FittedHostFiles fitted_host_files(const std::string& cluster, const HostCluster& host,
                                                const HostFit& fit, const std::string& file);

}  // namespace railyard::hw
