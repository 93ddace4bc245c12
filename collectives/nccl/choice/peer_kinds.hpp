#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {

/// Peers of a rank that NCCL reaches over the same kind of path.
struct PeerKind {
  std::string_view peers;    ///< "other nodes, same rail"
  bool network = false;      ///< across the network
  std::string_view relay{};  ///< the GPU that relays with PXN; "": none
  std::int64_t count = 0;
};

/// all_to_all: the peers of the group's first rank, on its own node and on other nodes. With PXN,
/// peers on other rails are a separate kind.
[[nodiscard]] std::vector<PeerKind> all_to_all_peers(const topology::Cluster& cluster,
                                                     const Group& group, bool pxn);

/// send_recv: the next rank, for every rank.
[[nodiscard]] std::vector<PeerKind> send_recv_peers(const Group& group);

}  // namespace railyard::collectives::nccl
