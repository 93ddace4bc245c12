#pragma once

#include <cstdint>
#include <span>

namespace railyard::sim::packet {

/// The record that a switch writes into a data packet when the packet leaves its queue (in-band
/// telemetry).
struct HopRecord {
  std::int64_t time = 0;     ///< ps
  std::uint64_t sent = 0;    ///< bytes that the port had sent before this packet
  double rate = 0;           ///< rate of the port, bit/s
  std::uint32_t queued = 0;  ///< bytes waiting behind this packet
};

/// The information of an acknowledgement for congestion control.
struct Feedback {
  std::int64_t now = 0;           ///< ps
  std::int64_t rtt = 0;           ///< ps, from the start of the packet to its acknowledgement; 0:
                                  ///< unknown
  std::uint32_t packets = 0;      ///< number of packets acknowledged for the first time
  std::uint32_t sequence = 0;     ///< the first packet that is not acknowledged
  std::uint32_t next_packet = 0;  ///< the next packet to be sent
  std::uint32_t on_the_way = 0;   ///< packets in flight after this acknowledgement
  bool is_marked = false;         ///< nscc: the last acknowledged packet was marked
  std::span<const HopRecord> hops{};  ///< records of the packet; empty if switches write none
};

/// The facts about the path of a queue pair that congestion control may use.
struct PathFacts {
  double line_rate = 0;       ///< rate of the NIC's port, bit/s
  std::int64_t base_rtt = 0;  ///< ps, of one packet and its acknowledgement through empty queues
  std::uint32_t switches = 0;
  std::uint32_t mtu = 0;   ///< payload of a full packet, bytes
  std::uint32_t wire = 0;  ///< wire bytes of a full packet
};

}  // namespace railyard::sim::packet
