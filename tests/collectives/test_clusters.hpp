#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::testing {

/// What a node of a test cluster is like.
struct CanonicalNode {
  int gpus = 8;
  int nics = 8;
  enum class Inside { nvswitch, mesh, pcie } inside = Inside::nvswitch;
  /// GPUs and NICs per PCIe switch; the switches alternate over two sockets, first half to CPU 0.
  int gpus_per_switch = 1;
  bool in_network_reduction = false;
  std::vector<topology::NvlinkSpec> mesh{};  ///< inside == mesh
};

[[nodiscard]] topology::NodeSpec make_node(const CanonicalNode& form);
/// Nodes on a rail-optimised two-tier Clos of two nodes per unit (a single switch without NICs).
[[nodiscard]] topology::Cluster make_cluster(const std::vector<CanonicalNode>& forms);
[[nodiscard]] topology::Cluster make_cluster(const CanonicalNode& form, int nodes);
/// The DGX-1 V100's hybrid cube mesh: 6 NVLinks per GPU, 4 NICs.
[[nodiscard]] CanonicalNode cube_mesh();

/// A request over all ranks of a cluster, or over those listed.
[[nodiscard]] Request make_request(const topology::Cluster& cluster, Collective collective,
                                   ScheduleOptions options = {});
[[nodiscard]] Request make_request(const topology::Cluster& cluster, const std::vector<int>& ranks,
                                   Collective collective, ScheduleOptions options = {});

/// The transfers of all channels in order, with what they belong to.
struct Listed {
  std::size_t channel = 0;
  std::size_t loop = 0;
  std::uint64_t iteration = 0;
  std::size_t step = 0;
  Transfer transfer;
};
[[nodiscard]] std::vector<Listed> list_transfers(const Schedule& schedule);

}  // namespace railyard::collectives::testing
