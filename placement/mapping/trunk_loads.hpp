#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "placement/mapping/exchange.hpp"
#include "placement/mapping/tiers.hpp"

namespace railyard::placement {

/// The paths inside nodes, as lists of the node's links (from NodeShape).
class NodeLinkPaths {
 public:
  explicit NodeLinkPaths(const topology::Cluster& cluster);
  [[nodiscard]] std::span<const std::uint32_t> gpu_to_gpu(std::uint32_t node, std::size_t from,
                                                          std::size_t to) const {
    const Shape& shape = shapes_[shape_of_[node]];
    return list(shape.first + from * shape.gpus + to);
  }
  [[nodiscard]] std::span<const std::uint32_t> gpu_to_nic(std::uint32_t node, std::size_t gpu,
                                                          std::size_t nic) const {
    const Shape& shape = shapes_[shape_of_[node]];
    return list(shape.first + shape.gpus * (shape.gpus + nic) + gpu);
  }
  [[nodiscard]] std::span<const std::uint32_t> nic_to_gpu(std::uint32_t node, std::size_t nic,
                                                          std::size_t gpu) const {
    const Shape& shape = shapes_[shape_of_[node]];
    return list(shape.first + shape.gpus * (shape.gpus + shape.nics + nic) + gpu);
  }

 private:
  struct Shape {
    std::size_t first = 0, gpus = 0, nics = 0;
  };
  [[nodiscard]] std::span<const std::uint32_t> list(std::size_t way) const {
    return std::span(links_).subspan(starts_[way], starts_[way + 1] - starts_[way]);
  }
  void add(const topology::NodeShape& shape);

  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> shape_of_;  ///< by node
  std::vector<std::uint32_t> starts_{0}, links_;
};

/// Bytes on every trunk: a sink of TrafficWalk. With PXN, bytes for another rail first cross NVLink
/// to the GPU of that rail.
class TrunkLoads {
 public:
  TrunkLoads(const Tiers& tiers, bool pxn)
      : tiers_(&tiers),
        pxn_(pxn),
        exchange_(tiers),
        paths_(tiers.cluster()),
        base_(tiers.range(TrunkTier::leaf).begin),
        bytes_(base_, 0),
        uplinks_{std::vector<double>(tiers.trunk_count() - base_, 0),
                 std::vector<double>(tiers.trunk_count() - base_, 0)} {}

  void clear();
  void inside(Rank from, Rank to, double bytes);
  void across(Rank from, Rank to, double bytes);
  void exchange(std::span<const Rank> gpus, double each);

  [[nodiscard]] double bytes(TrunkId trunk) const {
    return trunk.index() < base_ ? bytes_[trunk.index()] : uplinks_.bytes[trunk.index() - base_];
  }
  /// Loads of links inside nodes and of ports, by trunk; and the trunks with a load.
  [[nodiscard]] std::span<const double> below_leaves() const { return bytes_; }
  [[nodiscard]] std::span<const std::uint32_t> loaded_below() const { return loaded_; }
  [[nodiscard]] const UplinkLoads& uplinks() const { return uplinks_; }
  /// Bytes times links of the tree: 2 inside a node, 4 below a leaf, 6 below a pod, otherwise 8.
  [[nodiscard]] double hop_bytes() const;
  /// The part that does not depend on leaves: 2 per byte inside nodes, 4 per byte that leaves a
  /// node.
  [[nodiscard]] double hop_bytes_below() const;

 private:
  void add(std::size_t trunk, double bytes) {
    double& load = bytes_[trunk];
    if (load == 0) loaded_.push_back(static_cast<std::uint32_t>(trunk));
    load += bytes;
  }
  /// Between a GPU and one of its NICs, port of the NIC included.
  void out(const Tiers::GpuPosition& position, std::uint32_t nic, double bytes);
  void in(const Tiers::GpuPosition& position, std::uint32_t nic, double bytes);
  void out(const Tiers::GpuPosition& position, double bytes);
  void in(const Tiers::GpuPosition& position, double bytes);
  void climb(std::uint32_t from_nic, std::uint32_t to_nic, double bytes);
  void exchange_inside(std::span<const Rank> here, double each);
  void exchange_by_rail(std::span<const Rank> here, double each);

  const Tiers* tiers_;
  bool pxn_;
  Exchange exchange_;
  NodeLinkPaths paths_;
  std::size_t base_;  ///< number of the first leaf trunk
  std::vector<double> bytes_;
  std::vector<std::uint32_t> loaded_;  ///< trunks below leaves with a load
  UplinkLoads uplinks_;
  double inside_bytes_ = 0;
  std::vector<Rank> by_node_;
  std::vector<std::ptrdiff_t> on_rail_;
};

}  // namespace railyard::placement
