#pragma once

#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"

/// Sizes of the chunks that NCCL sends (NCCL 2.30 src/enqueue.cc, calcCollChunking).
namespace railyard::collectives::nccl {

/// Chunks of Tree in bytes: a slot of the buffer (LL128: at most 128 KiB); smaller if the message
/// has fewer than eight of them per channel, but at least 4 KiB.
[[nodiscard]] double tree_chunk(const Machine& machine, const TimeQuery& query);

/// Chunks of NVLS in bytes: 128 KiB, or 64 KiB on four or more nodes before Blackwell; halved if
/// the message has fewer than 64, 8, 2 rounds of them.
[[nodiscard]] double nvls_chunk(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl
