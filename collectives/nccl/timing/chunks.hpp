#pragma once

#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"

/// How large the pieces are that NCCL sends at once (NCCL 2.30 src/enqueue.cc, calcCollChunking).
namespace railyard::collectives::nccl {

/// Chunks of Tree in bytes: a slot of the buffer (of LL128 up to 128 KiB), less where the message
/// has fewer than eight of them on every channel, never below 4 KiB.
[[nodiscard]] double tree_chunk(const Machine& machine, const TimeQuery& query);

/// Chunks of NVLS in bytes: 128 KiB, or 64 KiB between four and more nodes before Blackwell; halved
/// while the message has fewer than 64, 8, 2 rounds of them.
[[nodiscard]] double nvls_chunk(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl
