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

/// The sends of an all_to_all or send_recv of each size, by kind of peer: of the group's first rank
/// in an all_to_all, of all ranks in a send_recv. Empty for a single rank.
[[nodiscard]] std::vector<P2pSends> p2p_sends(Chooser& chooser, const ChoiceRequest& asked,
                                              std::span<const Bytes> sizes);

}  // namespace railyard::collectives::nccl
