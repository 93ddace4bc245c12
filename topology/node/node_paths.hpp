#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/cluster/device.hpp"
#include "topology/node/node_spec.hpp"
#include "topology/node/path_type.hpp"

namespace railyard::topology {

/// A path inside one node. `links` are indices into the node's own links; add Node::first_link to
/// get LinkIds.
struct NodePath {
  PathType type = PathType::dis;
  Bandwidth bandwidth;  ///< of the narrowest link; the NIC's own rate is not included
  std::span<const std::uint32_t> links;
};

/// The graph inside a node, and the best path between each pair of its GPUs and NICs. All nodes
/// with the same NodeSpec share one shape. The best path has the best type, then the highest
/// bandwidth, then the fewest hops (NCCL's order, docs/models/node.md). Traffic between GPUs uses
/// NVLink if there is any.
class NodeShape {
 public:
  explicit NodeShape(NodeSpec spec);

  [[nodiscard]] const NodeSpec& spec() const { return spec_; }
  /// Devices in order: GPUs by number, NVSwitch, PCIe switches, CPUs, NICs. Device::node is not
  /// set.
  [[nodiscard]] std::span<const Device> devices() const { return devices_; }
  /// Links with device numbers and reverse ids that are local to the node.
  [[nodiscard]] std::span<const Link> links() const { return links_; }

  [[nodiscard]] int gpu_count() const { return gpu_count_; }
  [[nodiscard]] int nic_count() const { return nic_count_; }
  [[nodiscard]] std::uint32_t gpu_device(int gpu) const { return static_cast<std::uint32_t>(gpu); }
  [[nodiscard]] std::uint32_t nic_device(int nic) const {
    return first_nic_ + static_cast<std::uint32_t>(nic);
  }

  /// The rate of a NIC (NetSpec::bandwidth), by its number in the node.
  [[nodiscard]] Bandwidth nic_rate(int nic) const {
    return nic_rates_[static_cast<std::size_t>(nic)];
  }
  /// The rail of a NIC: NetSpec::rail, or else its number.
  [[nodiscard]] int rail_of_nic(int nic) const { return nic_rails_[static_cast<std::size_t>(nic)]; }

  /// The best path between two devices of the node; type dis and no links if there is none.
  [[nodiscard]] NodePath gpu_to_gpu(int from, int to) const;
  [[nodiscard]] NodePath gpu_to_nic(int gpu, int nic) const;
  [[nodiscard]] NodePath nic_to_gpu(int nic, int gpu) const;
  /// The NIC that NCCL assigns to a GPU: best bandwidth, then best path type; equal NICs are
  /// distributed by GPU number (docs/models/node.md). -1 if the node has no NIC.
  [[nodiscard]] int nearest_nic(int gpu) const {
    const std::span<const int> nics = nics_of_gpu(gpu);
    return nics.empty() ? -1 : nics.front();
  }
  /// The NICs over which NCCL distributes the channels of a GPU, the nearest NIC first.
  [[nodiscard]] std::span<const int> nics_of_gpu(int gpu) const {
    return nics_of_gpu_[static_cast<std::size_t>(gpu)];
  }
  /// The GPUs whose nearest NIC is `nic`, in ascending order.
  [[nodiscard]] std::vector<int> gpus_of_nic(int nic) const;

 private:
  NodeSpec spec_;
  std::vector<Device> devices_;
  std::vector<Link> links_;
  int gpu_count_ = 0;
  int nic_count_ = 0;
  std::uint32_t first_nic_ = 0;
  std::vector<Bandwidth> nic_rates_;
  std::vector<int> nic_rails_;
  std::vector<std::vector<int>> nics_of_gpu_;
  struct Stored {
    PathType type = PathType::dis;
    Bandwidth bandwidth;
    std::uint32_t begin = 0, end = 0;
  };
  std::size_t path_index(std::size_t from, std::size_t to) const {
    return from * static_cast<std::size_t>(gpu_count_ + nic_count_) + to;
  }
  void store(std::size_t from, std::size_t to, PathType type, std::span<const std::uint32_t> links);
  NodePath stored(std::size_t from, std::size_t to) const;
  std::vector<Stored> paths_;  ///< (GPU or NIC) x (GPU or NIC), GPUs first; dis between two NICs
  std::vector<std::uint32_t> path_links_;
};

}  // namespace railyard::topology
