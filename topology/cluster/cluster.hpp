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

/// One node in the cluster graph. Its devices and links have consecutive ids in the order of its
/// shape: local device number `local` is `first_device + local`, and the same holds for links.
struct Node {
  DeviceId first_device;
  LinkId first_link;
  Rank first_rank;
  std::uint32_t shape = 0;  ///< index into Cluster::shapes()
};

/// The graph of a cluster: devices and directed links in CSR form. Ranks number the GPUs node by
/// node. Built by build_cluster() and immutable afterwards.
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
  /// The rank of a GPU device.
  [[nodiscard]] Rank rank_of(DeviceId gpu) const;
  [[nodiscard]] DeviceId nic(NodeId node, int local_nic) const;
  [[nodiscard]] DeviceId nvswitch(NodeId node) const;  ///< none() where the node has none
  /// The rail of a rank: the number of the NIC that NCCL assigns to its GPU (see
  /// NodeShape::nearest_nic).
  [[nodiscard]] int rail_of(Rank rank) const {
    return shape(node_of(rank)).nearest_nic(local_gpu(rank));
  }

  /// The name of a device: "node3/gpu0", "node3/nic1", "node3/cpu0", "node3/pcie2",
  /// "node3/nvswitch", "pod1/leaf3", "pod1/spine2", "core7". Switches of dual-plane fabrics have
  /// the prefix "plane1/"; those of explicit fabrics have the names of the cluster file.
  [[nodiscard]] std::string name(DeviceId id) const;
  /// The name of a link: "node3/nic1 -> pod0/leaf1".
  [[nodiscard]] std::string name(LinkId id) const;
  /// The device with this name; nothing if there is none.
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

/// Builds the graph of a cluster. Throws InputError, with JSON pointers into the cluster file, if
/// the parameters do not describe a fabric; the message names the parameter and suggests valid
/// values.
[[nodiscard]] Cluster build_cluster(ClusterSpec spec);

}  // namespace railyard::topology
