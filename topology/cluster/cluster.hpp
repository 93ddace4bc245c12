#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/device.hpp"
#include "topology/node/node_paths.hpp"

namespace railyard::topology {

/// One node in the cluster graph: its devices and links are contiguous, in the order of its shape,
/// so that device `local` of the node is `first_device + local` and likewise for links.
struct Node {
  DeviceId first_device;
  LinkId first_link;
  Rank first_rank;
  std::uint32_t shape = 0;  ///< index into Cluster::shapes()
};

/// A cluster, frozen: devices and directed links in CSR form. Ranks number the GPUs node by node.
/// Built by build_cluster; never changes after.
class Cluster {
 public:
  [[nodiscard]] const ClusterSpec& spec() const { return *spec_; }

  [[nodiscard]] std::size_t device_count() const { return devices_.size(); }
  [[nodiscard]] std::size_t link_count() const { return links_.size(); }
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  [[nodiscard]] std::size_t rank_count() const { return gpu_of_rank_.size(); }

  [[nodiscard]] const Device& device(DeviceId id) const { return devices_[id.index()]; }
  [[nodiscard]] const Link& link(LinkId id) const { return links_[id.index()]; }
  [[nodiscard]] std::span<const Device> devices() const { return devices_; }
  [[nodiscard]] std::span<const Link> links() const { return links_; }
  /// Links that leave a device, ordered by the device they lead to, then by id.
  [[nodiscard]] std::span<const LinkId> out_links(DeviceId id) const;

  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id.index()]; }
  [[nodiscard]] const NodeShape& shape(NodeId id) const { return *shapes_[node(id).shape]; }
  [[nodiscard]] std::span<const std::shared_ptr<const NodeShape>> shapes() const { return shapes_; }
  [[nodiscard]] NodeId node_of(Rank rank) const {
    return devices_[gpu_of_rank_[rank.index()].index()].node;
  }
  [[nodiscard]] DeviceId gpu(Rank rank) const { return gpu_of_rank_[rank.index()]; }
  /// Number of the GPU within its node.
  [[nodiscard]] int local_gpu(Rank rank) const { return static_cast<int>(device(gpu(rank)).index); }
  /// The rank that sits on a gpu device.
  [[nodiscard]] Rank rank_of(DeviceId gpu) const;
  [[nodiscard]] DeviceId nic(NodeId node, int local_nic) const;
  [[nodiscard]] DeviceId nvswitch(NodeId node) const;  ///< none() where the node has none
  /// The number of the NIC that NCCL would give the rank (see NodeShape::nearest_nic).
  [[nodiscard]] int rail_of(Rank rank) const {
    return shape(node_of(rank)).nearest_nic(local_gpu(rank));
  }

  /// "node3/gpu0", "node3/nic1", "node3/cpu0", "node3/pcie2", "node3/nvswitch", "pod1/leaf3",
  /// "pod1/spine2", "core7" ("plane1/pod0/leaf2" in dual-plane fabrics; the given name in explicit
  /// ones).
  [[nodiscard]] std::string name(DeviceId id) const;
  /// "node3/nic1 -> pod0/leaf1".
  [[nodiscard]] std::string name(LinkId id) const;
  /// The device of that name, or nothing.
  [[nodiscard]] std::optional<DeviceId> find_device(std::string_view name) const;

 private:
  friend class ClusterBuilder;
  std::shared_ptr<const ClusterSpec> spec_;
  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> first_out_;
  std::vector<LinkId> out_links_;
  std::vector<Node> nodes_;
  std::vector<std::shared_ptr<const NodeShape>> shapes_;
  std::vector<DeviceId> gpu_of_rank_;
};

/// Builds the graph of a cluster. Throws InputError (pointers into the cluster file) when the
/// parameters do not make a fabric (naming the parameter and what would fit).
[[nodiscard]] Cluster build_cluster(ClusterSpec spec);

}  // namespace railyard::topology
