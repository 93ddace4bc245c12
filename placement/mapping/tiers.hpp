#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/id.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// A place where bytes queue: a link inside a node, the port of a NIC, or parallel links that share
/// a load evenly (all uplinks of a leaf; all links from the spines of a pod to the cores). Each
/// direction is a separate trunk.
using TrunkId = Id<struct TrunkTag>;

/// Heights of trunks. node: NVLink, PCIe and sockets; port: NIC and leaf; leaf: leaf and spines;
/// pod: spines and cores.
enum class TrunkTier : std::uint8_t { node, port, leaf, pod };
inline constexpr std::size_t kTrunkTiers = 4;
/// Text: "node", "port", "leaf" or "pod".
[[nodiscard]] std::string_view to_text(TrunkTier tier);

/// A cluster reduced to a tree of trunks: GPU, NIC, leaf, pod. It is exact for fabrics whose
/// switches spread traffic evenly over equal paths (adaptive routing, spraying); hashing can only
/// make a link busier. Leaves with the same spines form a pod. A NIC with two ports (dual-plane)
/// has one leaf that represents both. Bandwidth is that of payload, without headers.
class Tiers {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The cluster must outlive it.
  explicit Tiers(const topology::Cluster& cluster);

  [[nodiscard]] const topology::Cluster& cluster() const { return *cluster_; }

  /// A NIC; its index is its number in the cluster. kNone if it is not connected.
  struct Nic {
    std::uint32_t leaf = kNone, pod = kNone;
  };
  /// The position of a GPU. Its NICs are nics_at(position); the nearest one is included here.
  struct GpuPosition {
    std::uint32_t node = 0, gpu = 0;
    std::uint32_t nic = kNone, leaf = kNone, pod = kNone;
    std::uint32_t rail = 0;
    std::uint32_t first_nic = 0, nic_count = 0;
  };
  [[nodiscard]] const GpuPosition& gpu_position(Rank gpu) const {
    return gpu_positions_[gpu.index()];
  }
  [[nodiscard]] std::span<const std::uint32_t> nics_at(const GpuPosition& position) const {
    return std::span(gpu_nics_).subspan(position.first_nic, position.nic_count);
  }
  [[nodiscard]] const Nic& nic(std::uint32_t number) const { return nics_[number]; }
  [[nodiscard]] std::uint32_t first_nic(std::uint32_t node) const { return first_nic_[node]; }
  /// The GPU of a node that is nearest to its NIC of a rail (PXN sends through it); none() if there
  /// is none.
  [[nodiscard]] Rank on_rail(std::uint32_t node, std::uint32_t rail) const {
    return on_rail_[node * rail_count_ + rail];
  }
  [[nodiscard]] std::size_t rail_count() const { return rail_count_; }
  [[nodiscard]] std::size_t nic_count() const { return nics_.size(); }
  [[nodiscard]] std::size_t leaf_count() const { return leaf_devices_.size(); }
  [[nodiscard]] std::size_t pod_count() const { return pod_count_; }

  [[nodiscard]] std::size_t trunk_count() const { return bandwidth_.size(); }
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  [[nodiscard]] Range range(TrunkTier tier) const {
    return ranges_[static_cast<std::size_t>(tier)];
  }
  [[nodiscard]] TrunkTier tier(TrunkId trunk) const;
  /// Trunk of a link of a node, by the number of the link in the node.
  [[nodiscard]] std::size_t inside(std::uint32_t node, std::uint32_t link) const {
    return first_link_[node] + link;
  }
  [[nodiscard]] std::size_t port_up(std::uint32_t nic) const {
    return begin(TrunkTier::port) + nic;
  }
  [[nodiscard]] std::size_t port_down(std::uint32_t nic) const {
    return begin(TrunkTier::port) + nic_count() + nic;
  }
  [[nodiscard]] std::size_t leaf_up(std::uint32_t leaf) const {
    return begin(TrunkTier::leaf) + leaf;
  }
  [[nodiscard]] std::size_t leaf_down(std::uint32_t leaf) const {
    return begin(TrunkTier::leaf) + leaf_count() + leaf;
  }
  [[nodiscard]] std::size_t pod_up(std::uint32_t pod) const { return begin(TrunkTier::pod) + pod; }
  [[nodiscard]] std::size_t pod_down(std::uint32_t pod) const {
    return begin(TrunkTier::pod) + pod_count() + pod;
  }

  /// Payload bandwidth of a trunk in bytes/s; 0 if there is no path (leaves of a rail-only fabric
  /// have no uplinks).
  [[nodiscard]] std::span<const double> bandwidth() const { return bandwidth_; }
  /// Number of parallel links of a trunk of the leaf or pod tier; trunks in the order of their
  /// numbers.
  [[nodiscard]] std::span<const double> uplink_widths() const { return widths_; }
  /// "node3/gpu0 -> node3/nvswitch", "node3/nic1 -> pod0/leaf1", "uplinks of pod0/leaf1",
  /// "downlinks to pod 2".
  [[nodiscard]] std::string name(TrunkId trunk) const;

 private:
  class Builder;
  [[nodiscard]] std::size_t begin(TrunkTier tier) const { return range(tier).begin; }

  const topology::Cluster* cluster_;
  std::vector<GpuPosition> gpu_positions_;
  std::vector<std::uint32_t> gpu_nics_;
  std::vector<Nic> nics_;
  std::vector<std::uint32_t> first_nic_;
  std::vector<LinkId> nic_links_;  ///< first port of each NIC, for names; none() if not connected
  std::vector<std::size_t> first_link_;
  std::vector<DeviceId> leaf_devices_;  ///< first switch of each leaf
  std::vector<std::uint32_t> pod_numbers_;
  std::size_t pod_count_ = 0;
  std::size_t rail_count_ = 0;
  std::vector<Rank> on_rail_;
  std::array<Range, kTrunkTiers> ranges_{};
  std::vector<double> bandwidth_;
  std::vector<double> widths_;
};

}  // namespace railyard::placement
