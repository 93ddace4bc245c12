#pragma once

#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"

namespace railyard::collectives::nccl {

/// Lengthens the bytes term of a collective to the time that its senders wait for free slots: a
/// connection between nodes has kSlots, and a slot is free again a round trip after it was filled
/// (docs/models/nccl_time.md, buffers in flight). No effect on one node, with unknown round trips,
/// or if links are slower.
void wait_for_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms);

/// The same for all_to_all and send_recv, whose sends of a channel share kSharedSlots.
void wait_for_shared_slots(const Machine& machine, const TimeQuery& query, TimeTerms& terms);

/// Channels by which a GPU sends to other nodes at the same time.
[[nodiscard]] int sending_channels(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl
