#pragma once

#include <cstdint>
#include <vector>

#include "collectives/algorithms/ring_via.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// The NIC by which a sender of an all-to-all reaches a peer on another node.
enum class PairRule : std::uint8_t {
  /// PXN: the NIC on the peer's rail, through the local GPU with the peer's number (NCCL
  /// P2P_PXN_LEVEL 2).
  relay,
  direct,  ///< PXN off, CROSS_NIC=0: the NIC on the peer's rail, used by the sender itself
};

/// The sending NIC and the relay (PXN) for every pair of a group, by a rule. The memory grows with
/// the number of ranks and GPUs, not with the number of pairs. Only the sender's side is chosen;
/// the receiver uses its nearest NIC (NCCL 2.30, paths.cc).
class PairVia {
 public:
  PairVia(const topology::Cluster& cluster, const Group& group, PairRule rule);

  /// The sending NIC and the relay for a pair of positions. Empty for a pair in the same node. Also
  /// empty if the sender's node has no GPU with the number of the peer's GPU or, for
  /// PairRule::relay, if that GPU is not part of the group.
  [[nodiscard]] HopVia operator()(std::uint32_t source, std::uint32_t destination) const;

 private:
  /// Where a rank of the group is.
  struct RankLocation {
    std::uint32_t node = 0;  ///< index of the node in the group
    std::uint16_t gpu = 0;   ///< number of the GPU in the node
    std::int8_t nic = -1;    ///< number of its nearest NIC
  };
  /// A GPU of one of the group's nodes.
  struct Gpu {
    Participant position = kNoParticipant;  ///< of the group's rank on this GPU, if any
    std::int8_t nic = -1;
  };
  PairRule rule_;
  std::uint32_t width_ = 0;              ///< number of GPUs of the largest node
  std::vector<RankLocation> locations_;  ///< by position in the group
  std::vector<Gpu> gpus_;                ///< index: node * width_ + gpu
};

}  // namespace railyard::collectives
