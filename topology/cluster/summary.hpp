#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// The nodes of a cluster that are equal.
struct NodeSummary {
  std::string name, gpu;
  std::size_t count = 0;
  int hosts = 1, gpus = 0, nics = 0;
  bool host = false;                    ///< ranks run on CPU cores; there is no GPU
  Bandwidth nic_bandwidth;              ///< of the first NIC
  PathType gpu_to_gpu = PathType::dis;  ///< the worst path type between two GPUs
  Bandwidth gpu_bandwidth;              ///< the smallest bandwidth between two GPUs
  PathType gpu_to_nic = PathType::dis;  ///< the worst path type from a GPU to its nearest NIC
};

/// Totals over all switches of one tier.
struct TierSummary {
  DeviceKind kind{};
  std::size_t switches = 0;
  int most_ports = 0;  ///< the largest number of ports of one switch
  Bandwidth down, up;  ///< total bandwidth per direction to lower and higher tiers
  /// down / up; nothing for the top tier.
  [[nodiscard]] std::optional<double> oversubscription() const;
};

/// The number of fabric switches on the shortest paths from the NIC of the first GPU to NICs of
/// other nodes.
struct SwitchHops {
  int nearest = 0, farthest = 0;
};

/// Counts and properties of a cluster for `topo show`.
struct Summary {
  std::string name;
  FabricKind fabric{};
  std::size_t nodes = 0, hosts = 0, gpus = 0, nics = 0;
  std::array<std::size_t, 8> devices{};  ///< number of devices, by DeviceKind
  std::size_t cables = 0;                ///< fabric cables, including those to NICs
  /// One entry per kind of node.
  std::vector<NodeSummary> kinds;
  std::vector<TierSummary> tiers;      ///< leaves first
  std::optional<int> same_node_links;  ///< links from GPU 0 to GPU 1 of the first node
  /// To NICs of the same rail and of other rails; nothing if no such NIC exists or the fabric has
  /// no path to it (on rail_only fabrics, traffic between rails needs NVLink).
  std::optional<SwitchHops> same_rail, cross_rail;
};

[[nodiscard]] Summary summarise(const Cluster& cluster);

/// The summary as a tree of lines, for `topo show`.
[[nodiscard]] std::string to_text(const Summary& summary);

}  // namespace railyard::topology
