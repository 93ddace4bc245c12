#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim {

/// NICs that one GPU uses together, because NCCL fuses them or spreads channels over them (for
/// example the ports of a card). The GPU sends and receives equal parts by each of them.
class NicsTogether {
 public:
  /// The cluster must outlive this object.
  explicit NicsTogether(const topology::Cluster& cluster);

  /// Splits a connection into one per NIC if an end uses several NICs. There are at least `least`
  /// connections, which use the NICs in turn. If all ports of a NIC are in `failed`, the other NICs
  /// of its GPU send its part (NCCL's port failover), unless all of them have failed.
  ///
  /// Example: GPU 0 uses NICs 0 and 1, GPU 8 only NIC 8. There are two connections, 0 to 8 and 1 to
  /// 8. If NIC 0 has failed there is one, 1 to 8; with `least` 2 there are two of them.
  [[nodiscard]] std::vector<topology::Connection> connections(const topology::Connection& whole,
                                                              std::span<const LinkId> failed,
                                                              std::size_t least = 1) const;

 private:
  [[nodiscard]] std::span<const int> beside(DeviceId device, int nic) const;
  [[nodiscard]] std::vector<int> working(NodeId node, std::span<const int> nics,
                                         std::span<const LinkId> failed) const;

  const topology::Cluster& cluster_;
  /// By shape and NIC: the NICs that are used together, in order. Empty if each NIC is used alone.
  std::vector<std::vector<std::vector<int>>> together_;
};

}  // namespace railyard::sim
