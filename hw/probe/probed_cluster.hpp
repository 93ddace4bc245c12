#pragma once

#include <string>
#include <vector>

#include "hw/probe/host_report.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::hw {

/// A file in the folder of the cluster file.
struct NodeFile {
  std::string name, text;
};

/// The files of the kinds of nodes of a probe.
struct NodeFiles {
  std::vector<NodeFile> files;
  std::vector<std::string> nodes;  ///< by kind: the file that the cluster file names
};

/// Files of each kind of host, named after the cluster file: "mine.node.xml", or "mine.rank.json"
/// and "mine.node.json"; with several kinds "mine0.node.xml", "mine1.node.xml".
[[nodiscard]] NodeFiles node_files(const HostKinds& hosts, const std::string& cluster_file);

/// How the nodes of a probe are connected.
struct ProbedFabric {
  int nodes = 1;  ///< number of nodes, where the hosts are of one kind
  /// Without `file`, the fabric; with it, the parameters that the file does not contain.
  topology::FabricSpec fabric{};
  std::vector<std::string> notes{};  ///< assumptions of `fabric`
  std::string file{};                ///< ibnetdiscover or Slurm; "": none
};

/// The files that a probe writes, and its notes.
struct ProbedCluster {
  topology::ClusterSpec cluster;
  std::vector<std::string> notes;
};

/// The cluster of the hosts that reported, in their order. Its overheads are those of the slowest
/// host that measured them. `cluster_file`: its future path; if `fabric` has a file, the files of
/// `nodes` must be beside it. Throws InputError if that file does not describe how the hosts are
/// connected, or if the hosts differ and cannot be identified in it.
[[nodiscard]] ProbedCluster probed_cluster(const std::vector<HostReport>& reports,
                                           const HostKinds& hosts,
                                           const std::vector<std::string>& nodes,
                                           const ProbedFabric& fabric,
                                           const std::string& cluster_file);

/// The cluster built from the files of its nodes, as every command will read it.
[[nodiscard]] topology::Cluster built_from_files(topology::ClusterSpec cluster,
                                                 const std::string& cluster_file);

}  // namespace railyard::hw
