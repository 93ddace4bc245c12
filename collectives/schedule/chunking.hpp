#pragma once

#include <cstdint>
#include <memory>

#include "collectives/algorithms/algorithm.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// Payload of one step of a connection's buffer: what NCCL pipelines by (NCCL 2.30,
/// calcCollChunking in enqueue.cc).
[[nodiscard]] Bytes step_payload(Protocol protocol);

/// How many pieces of ScheduleOptions::chunk (or `preferred`) a channel's part of a block makes;
/// at least one.
[[nodiscard]] std::uint64_t pipeline_pieces(const Request& request, std::size_t channels,
                                            Bytes preferred);

/// ScheduleOptions::channels, or `preferred`.
[[nodiscard]] std::size_t channel_count(const Request& request, std::size_t preferred);

/// A schedule of the request with what is the same for all algorithms filled in, without channels.
[[nodiscard]] Schedule::Parts parts_of(const Request& request, std::string_view algorithm);

/// What a group of one rank does: nothing.
[[nodiscard]] Schedule nothing_to_do(const Request& request, std::string_view algorithm);

}  // namespace railyard::collectives
