#pragma once

#include <string>
#include <vector>

#include "hw/probe/host_fit.hpp"
#include "hw/probe/probed_cluster.hpp"

namespace railyard::hw {

/// The files of a cluster of ranks on cores after a fit.
struct FittedHostFiles {
  std::string cluster;          ///< text of the cluster file
  std::vector<NodeFile> nodes;  ///< files beside it: the nodes and their ranks
};

/// The cluster file `cluster` (a name or a path) with the fitted values, and its nodes. `file`: its
/// future path, which determines the names of the files beside it.
[[nodiscard]] FittedHostFiles fitted_host_files(const std::string& cluster, const HostCluster& host,
                                                const HostFit& fit, const std::string& file);

}  // namespace railyard::hw
