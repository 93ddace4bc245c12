#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// Equal nodes of a cluster.
struct NodeSummary {
  std::string name, gpu;
  std::size_t count = 0;
  int hosts = 1, gpus = 0, nics = 0;
  bool host = false;                    ///< ranks sit on cores: there is no GPU
  Bandwidth nic_bandwidth;              ///< of its first NIC
  PathType gpu_to_gpu = PathType::dis;  ///< the worst of its pairs
  Bandwidth gpu_bandwidth;              ///< the narrowest of those
  PathType gpu_to_nic = PathType::dis;  ///< the worst of the GPUs to their nearest NICs
};

/// The switches of one tier, all together.
struct TierSummary {
  DeviceKind kind{};
  std::size_t switches = 0;
  int most_ports = 0;  ///< of one switch
  Bandwidth down, up;  ///< per direction, all switches
  /// Capacity down over capacity up; nothing for the top tier.
  [[nodiscard]] std::optional<double> oversubscription() const;
};

/// Fabric switches on the shortest ways from the first GPU's NIC to others.
struct SwitchHops {
  int nearest = 0, farthest = 0;
};

/// What a cluster has.
struct Summary {
  std::string name;
  FabricKind fabric{};
  std::size_t nodes = 0, hosts = 0, gpus = 0, nics = 0;
  std::array<std::size_t, 8> devices{};  ///< by DeviceKind
  std::size_t cables = 0;                ///< outside the nodes
  std::vector<NodeSummary> kinds;
  std::vector<TierSummary> tiers;      ///< leaves first
  std::optional<int> same_node_links;  ///< links from GPU 0 to GPU 1 of the first node
  /// To other nodes; nothing where there is none, or no way without NVLink (rail-only, cross rail).
  std::optional<SwitchHops> same_rail, cross_rail;
};

[[nodiscard]] Summary summarise(const Cluster& cluster);

/// The summary as a tree of lines, for `topo show`.
[[nodiscard]] std::string to_text(const Summary& summary);

}  // namespace railyard::topology
