#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim {

/// NICs that NCCL gives to one GPU (the ports of a card, which it fuses or spreads channels over).
/// The GPU sends and receives equal parts by all of them.
class NicsTogether {
 public:
  /// The cluster must outlive it.
  explicit NicsTogether(const topology::Cluster& cluster);

  /// One connection per NIC if an end uses several: at least `least` of them, with NICs in turn. If
  /// all ports of a NIC are in `failed`, the other NICs of its GPU send its part (NCCL's port
  /// failover), unless all have failed.
  ///
  /// Example: GPU 0 uses NICs 0 and 1, GPU 8 only NIC 8: two connections, 0 to 8 and 1 to 8. With
  /// NIC 0 failed one, 1 to 8; with `least` 2 two of them.
  [[nodiscard]] std::vector<topology::Connection> connections(const topology::Connection& whole,
                                                              std::span<const LinkId> failed,
                                                              std::size_t least = 1) const;

 private:
  [[nodiscard]] std::span<const int> beside(DeviceId device, int nic) const;
  [[nodiscard]] std::vector<int> working(NodeId node, std::span<const int> nics,
                                         std::span<const LinkId> failed) const;

  const topology::Cluster& cluster_;
  /// By shape and NIC: the NICs that are used together, in order; all empty: each NIC by itself.
  std::vector<std::vector<std::vector<int>>> together_;
};

}  // namespace railyard::sim
