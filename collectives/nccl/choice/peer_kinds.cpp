#include "collectives/nccl/choice/peer_kinds.hpp"

#include "collectives/algorithms/pair_via.hpp"

namespace railyard::collectives::nccl {

std::vector<PeerKind> all_to_all_peers(const topology::Cluster& cluster, const Group& group,
                                       bool pxn) {
  PeerKind near{.peers = "same node"};
  PeerKind rail{.peers = pxn ? "other nodes, same rail" : "other nodes", .network = true};
  PeerKind relayed{.peers = "other nodes, other rails",
                   .network = true,
                   .relay = "PXN: the GPU of the sender's node with the peer's number in its node"};
  const PairVia via(cluster, group, PairRule::relay);
  for (std::uint32_t peer = 1; peer < group.size(); ++peer) {
    if (group.node_index(peer) == group.node_index(0)) {
      ++near.count;
    } else if (pxn && via(0, peer).relay != kNoParticipant) {
      ++relayed.count;
    } else {
      ++rail.count;
    }
  }
  return {near, rail, relayed};
}

std::vector<PeerKind> send_recv_peers(const Group& group) {
  PeerKind near{.peers = "next rank, same node"};
  PeerKind far{.peers = "next rank, other node", .network = true};
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    const bool same = group.node_index(rank) == group.node_index((rank + 1) % group.size());
    ++(same ? near : far).count;
  }
  return {near, far};
}

}  // namespace railyard::collectives::nccl
