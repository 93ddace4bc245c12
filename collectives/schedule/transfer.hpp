#pragma once

#include <cstdint>

namespace railyard::collectives {

/// The number of a participant. 0..n-1 are the positions of the group's n ranks. Numbers from n on
/// are switches that reduce data (Schedule::reducers()).
using Participant = std::uint32_t;
inline constexpr Participant kNoParticipant = ~Participant{0};

enum class Action : std::uint8_t { copy, reduce };

/// One message: `chunk_count` chunks, starting at `first_chunk`, go from source to destination.
/// There they replace the existing data (copy) or are reduced with it (reduce). Schedule defines
/// chunks.
struct Transfer {
  Participant source = kNoParticipant;
  Participant destination = kNoParticipant;
  std::uint64_t first_chunk = 0;
  std::uint64_t chunk_count = 1;
  Action action = Action::copy;
  /// PXN: the bytes pass through the memory of this rank's GPU, on the node of the source, in a
  /// pipelined way. The relay neither keeps nor reduces them.
  Participant relay = kNoParticipant;
  std::int8_t source_nic = -1;       ///< NIC of the sending (or relaying) node; -1: the nearest
  std::int8_t destination_nic = -1;  ///< NIC of the destination's node; -1: the nearest
};

}  // namespace railyard::collectives
