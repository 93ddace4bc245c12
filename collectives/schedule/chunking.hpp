#pragma once

#include <cstdint>
#include <memory>

#include "collectives/algorithms/algorithm.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// Payload of one step of a connection's buffer, the unit in which NCCL pipelines (NCCL 2.30,
/// calcCollChunking in enqueue.cc).
[[nodiscard]] Bytes step_payload(Protocol protocol);

/// The number of pieces of size ScheduleOptions::chunk (or else `preferred`) in a channel's part of
/// a block; at least 1.
[[nodiscard]] std::uint64_t pipeline_pieces(const Request& request, std::size_t channels,
                                            Bytes preferred);

/// ScheduleOptions::channels if set, else `preferred`; at least 1.
[[nodiscard]] std::size_t channel_count(const Request& request, std::size_t preferred);

/// Schedule parts with the fields that do not depend on the algorithm filled in, and no channels.
[[nodiscard]] Schedule::Parts parts_of(const Request& request, std::string_view algorithm);

/// The schedule for a group of one rank, which has no transfers.
[[nodiscard]] Schedule nothing_to_do(const Request& request, std::string_view algorithm);

}  // namespace railyard::collectives
