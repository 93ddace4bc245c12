#pragma once

#include <span>
#include <vector>

#include "collectives/nccl/graph/system_graph.hpp"

namespace railyard::collectives::nccl {

/// The path from one vertex to another.
struct Path {
  PathType type = PathType::dis;
  float bandwidth = 0;  ///< GB/s of the slowest link
  int hops = 0;
  bool through_intel_root = false;  ///< PHB path of a GPU over an Intel CPU: uses 1.2 x on PCIe
  int first = 0;                    ///< index of its first link in Paths
};

/// NCCL's paths inside a node: from every vertex to CPUs, devices, GPUs, NICs and the NVSwitch.
class Paths {
 public:
  explicit Paths(std::size_t vertices) : vertices_(vertices), paths_(vertices * vertices) {}

  [[nodiscard]] const Path& between(int from, int to) const { return paths_[slot(from, to)]; }
  /// The links of a path, in order.
  [[nodiscard]] std::span<const int> links(const Path& path) const {
    return std::span(links_).subspan(static_cast<std::size_t>(path.first),
                                     static_cast<std::size_t>(path.hops));
  }

 private:
  friend class PathFinder;
  [[nodiscard]] std::size_t slot(int from, int to) const {
    return static_cast<std::size_t>(from) * vertices_ + static_cast<std::size_t>(to);
  }

  std::size_t vertices_;
  std::vector<Path> paths_;
  std::vector<int> links_;
};

}  // namespace railyard::collectives::nccl
