#pragma once

#include <cstdint>
#include <vector>

#include "collectives/algorithms/ring_via.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

/// Which NIC a sender of an all-to-all takes when the peer is on another node.
enum class PairRule : std::uint8_t {
  relay,   ///< PXN: the peer's rail, handed over by the local GPU with the peer's number (NCCL
           ///< P2P_PXN_LEVEL 2)
  direct,  ///< PXN off, CROSS_NIC=0: the peer's rail, driven by the sender itself
};

/// The ways between all pairs of a group by rule: a few words per rank and per GPU of its nodes,
/// nothing per pair. Sender side only, the receiver takes its nearest NIC (NCCL 2.30, paths.cc).
class PairVia {
 public:
  PairVia(const topology::Cluster& cluster, const Group& group, PairRule rule);

  /// The way between two positions; nothing is asked for within a node, and where no rank of the
  /// group sits on the GPU with the peer's number (relay) or the node has no such GPU.
  [[nodiscard]] HopVia operator()(std::uint32_t source, std::uint32_t destination) const;

 private:
  struct Seat {
    std::uint32_t node = 0;  ///< index in the group
    std::uint16_t gpu = 0;   ///< number in the node
    std::int8_t nic = -1;    ///< nearest
  };
  struct Gpu {
    Participant position = kNoParticipant;  ///< of the group's rank on it
    std::int8_t nic = -1;
  };
  PairRule rule_;
  std::uint32_t width_ = 0;  ///< GPUs of the largest node
  std::vector<Seat> seats_;  ///< by position
  std::vector<Gpu> gpus_;    ///< node * width_ + gpu
};

}  // namespace railyard::collectives
