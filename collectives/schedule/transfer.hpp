#pragma once

#include <cstdint>

namespace railyard::collectives {

/// A number for ranks and for switches that reduce: 0..n-1 are the positions of the group,
/// n.. the schedule's reducers.
using Participant = std::uint32_t;
inline constexpr Participant kNoParticipant = ~Participant{0};

enum class Action : std::uint8_t { copy, reduce };

/// One message: `chunk_count` chunks from `first_chunk` go from source to destination, where they
/// replace (copy) or are added to (reduce) what is there. What a chunk is: see Schedule.
struct Transfer {
  Participant source = kNoParticipant;
  Participant destination = kNoParticipant;
  std::uint64_t first_chunk = 0;
  std::uint64_t chunk_count = 1;
  Action action = Action::copy;
  /// PXN: the bytes pass through this rank's GPU memory (on the source's node) on their way, in a
  /// pipeline; it neither keeps nor counts them.
  Participant relay = kNoParticipant;
  std::int8_t source_nic = -1;       ///< NIC of the sending (or relaying) node; -1: the nearest
  std::int8_t destination_nic = -1;  ///< -1: the nearest to the destination
};

}  // namespace railyard::collectives
