#pragma once

#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"

namespace railyard::collectives::nccl {

/// Makes the bytes of a collective's terms as long as its senders wait for free slots: a connection
/// between nodes has kSlots, and a slot is free again a round trip after it was filled
/// (docs/models/nccl_time.md, buffers in flight). Changes nothing on one node, where round trips
/// are not known, and where links are slower than that.
void wait_for_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms);

/// The same of all_to_all and send_recv, whose sends of a channel share kSharedSlots.
void wait_for_shared_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms);

/// Channels by which a GPU sends to other nodes at a time.
[[nodiscard]] int sending_channels(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl
