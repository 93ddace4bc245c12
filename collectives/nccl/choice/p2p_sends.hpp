#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/choice/peer_kinds.hpp"
#include "collectives/nccl/timing/p2p_plan.hpp"

namespace railyard::collectives::nccl {

/// NCCL's plan for the sends to peers of one kind.
struct P2pSends {
  std::int64_t bytes = 0;  ///< size of the collective
  PeerKind kind;
  std::int64_t message = 0;  ///< bytes to one peer
  P2pPlan plan;
};

/// The sends of an all_to_all or send_recv, for each of `sizes` and for each kind of peer. For an
/// all_to_all they are the sends of the group's first rank, for a send_recv those of all ranks.
/// Empty for a single rank.
[[nodiscard]] std::vector<P2pSends> p2p_sends(Chooser& chooser, const ChoiceRequest& asked,
                                              std::span<const Bytes> sizes);

}  // namespace railyard::collectives::nccl
