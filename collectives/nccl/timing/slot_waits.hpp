#pragma once

#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"

namespace railyard::collectives::nccl {

/// Flow control of connections between nodes. A connection has kSlots buffer slots, and a slot is
/// free again one round trip after it was filled. If this limits the sender, the bytes term of a
/// collective is increased accordingly (docs/models/nccl_time.md, buffers in flight). No effect on
/// one node, with unknown round trips, or if links are the stronger limit.
void wait_for_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms);

/// The same for all_to_all and send_recv, in which all sends of a channel share kSharedSlots.
void wait_for_shared_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms);

/// The number of channels over which a GPU sends to other nodes concurrently.
[[nodiscard]] int sending_channels(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl
