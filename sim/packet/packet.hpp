#pragma once

#include <cstdint>

namespace railyard::sim::packet {

/// data: bytes of a message. ack: `sequence` is the next one that the receiver expects. nack: the
/// same, and what followed was thrown away (go-back-N). congestion: the CNP of RoCE v2.
enum class PacketKind : std::uint8_t { data, ack, nack, congestion };

/// A packet in the queue or on the wire of one link. 24 bytes, copied from link to link.
struct Packet {
  std::int64_t time = 0;       ///< ps; before it starts: when it may start; then: when it arrives
  std::uint32_t pair = 0;      ///< queue pair
  std::uint32_t sequence = 0;  ///< number of the packet on its queue pair
  std::uint32_t at = 0;        ///< where in the list of paths the link is that it is on
  std::uint16_t bytes = 0;     ///< on the wire
  PacketKind kind = PacketKind::data;
  bool marked = false;  ///< ECN: congestion experienced
};

}  // namespace railyard::sim::packet
