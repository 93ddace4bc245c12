#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/choice/peer_kinds.hpp"
#include "collectives/nccl/timing/p2p_plan.hpp"

namespace railyard::collectives::nccl {

/// How NCCL carries out the sends to the peers of one kind.
struct P2pSends {
  std::int64_t bytes = 0;  ///< of the collective
  PeerKind kind;
  std::int64_t message = 0;  ///< bytes to one peer
  P2pPlan plan;
};

/// The sends of an all_to_all or send_recv of each size, by kind of peers. For the group's first
/// rank in an all_to_all, for all ranks in send_recv. Nothing for a single rank.
[[nodiscard]] std::vector<P2pSends> p2p_sends(Chooser& chooser, const ChoiceRequest& asked,
                                              std::span<const Bytes> sizes);

}  // namespace railyard::collectives::nccl
