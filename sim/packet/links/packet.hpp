#pragma once

#include <cstdint>

namespace railyard::sim::packet {

/// data:       bytes of a message
/// ack:        `sequence` is the next packet that the receiver expects; with selective repeat, the
///             number of packets that it has reported so far (Scoreboard)
/// nack:       the receiver discarded the packets after a gap (go-back-N), or packet `sequence`
///             arrived without its payload
/// congestion: the congestion notification packet (CNP) of RoCE v2
/// pull:       the receiver has granted `sequence` packets in total
/// returned:   the header of data packet `sequence`, which a switch sent back to its sender
enum class PacketKind : std::uint8_t { data, ack, nack, congestion, pull, returned };

/// A packet in the queue or on the wire of one link. 24 bytes, copied from link to link.
struct Packet {
  std::int64_t time = 0;       ///< ps; before its start on a link: the earliest start; afterwards:
                               ///< the arrival
  std::uint32_t pair = 0;      ///< queue pair
  std::uint32_t sequence = 0;  ///< number of the packet on its queue pair
  std::uint32_t at = 0;        ///< position in the list of route links (Engine) of its current link
  std::uint16_t bytes = 0;     ///< on the wire
  PacketKind kind = PacketKind::data;
  bool marked : 1 = false;          ///< ECN: congestion experienced
  bool trimmed : 1 = false;         ///< a switch has cut off the payload
  bool trimmed_before : 1 = false;  ///< trimmed at a switch that is not the last one
  std::uint8_t lane : 3 = 0;        ///< queue of the ports (see Links)
};
static_assert(sizeof(Packet) == 24);

}  // namespace railyard::sim::packet
