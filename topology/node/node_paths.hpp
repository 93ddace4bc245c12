#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/cluster/device.hpp"
#include "topology/node/node_spec.hpp"
#include "topology/node/path_type.hpp"

namespace railyard::topology {

/// A way through one node, as indices of the node's own links (add Node::first_link).
struct NodePath {
  PathType type = PathType::dis;
  Bandwidth bandwidth;  ///< the narrowest link (the NIC's own rate is not among them)
  std::span<const std::uint32_t> links;
};

/// The inner graph of a node and the best path between its GPUs and NICs.
/// All nodes with the same NodeSpec share one. Best: type first, then bandwidth, then fewer hops
/// (NCCL's order, docs/models/node.md); traffic between GPUs takes NVLink where there is one.
class NodeShape {
 public:
  explicit NodeShape(NodeSpec spec);

  [[nodiscard]] const NodeSpec& spec() const { return spec_; }
  /// Devices in order: GPUs by number, nvswitch, PCIe switches, CPUs, NICs. `node` is not set.
  [[nodiscard]] std::span<const Device> devices() const { return devices_; }
  /// Links with local device numbers and local reverse ids.
  [[nodiscard]] std::span<const Link> links() const { return links_; }

  [[nodiscard]] int gpu_count() const { return gpu_count_; }
  [[nodiscard]] int nic_count() const { return nic_count_; }
  [[nodiscard]] std::uint32_t gpu_device(int gpu) const { return static_cast<std::uint32_t>(gpu); }
  [[nodiscard]] std::uint32_t nic_device(int nic) const {
    return first_nic_ + static_cast<std::uint32_t>(nic);
  }

  /// The rate of a NIC (NetSpec::bandwidth).
  [[nodiscard]] Bandwidth nic_rate(int nic) const {
    return nic_rates_[static_cast<std::size_t>(nic)];
  }
  /// The rail that a NIC belongs to: NetSpec::rail, or else its number.
  [[nodiscard]] int rail_of_nic(int nic) const { return nic_rails_[static_cast<std::size_t>(nic)]; }

  /// type dis (no links) where there is no way.
  [[nodiscard]] NodePath gpu_to_gpu(int from, int to) const;
  [[nodiscard]] NodePath gpu_to_nic(int gpu, int nic) const;
  [[nodiscard]] NodePath nic_to_gpu(int nic, int gpu) const;
  /// The NIC that NCCL gives a GPU (docs/models/node.md: best bandwidth and type, then spread by
  /// GPU number over the equals), or -1 where the node has no NIC.
  [[nodiscard]] int nearest_nic(int gpu) const {
    const std::span<const int> nics = nics_of_gpu(gpu);
    return nics.empty() ? -1 : nics.front();
  }
  /// The NICs that NCCL spreads the channels of a GPU over, the nearest one first.
  [[nodiscard]] std::span<const int> nics_of_gpu(int gpu) const {
    return nics_of_gpu_[static_cast<std::size_t>(gpu)];
  }
  /// GPUs whose nearest NIC is `nic`, in order.
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
  std::vector<Stored> paths_;  ///< (gpu or nic) x (gpu or nic), GPUs first; dis between NICs
  std::vector<std::uint32_t> path_links_;
};

}  // namespace railyard::topology
