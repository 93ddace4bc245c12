#pragma once

#include <cstdint>
#include <span>

namespace railyard::sim::packet {

/// What a switch writes into a data packet that leaves its queue (in-band telemetry).
struct HopRecord {
  std::int64_t time = 0;     ///< ps
  std::uint64_t sent = 0;    ///< bytes that the port has sent before this packet
  double rate = 0;           ///< of the port, bit/s
  std::uint32_t queued = 0;  ///< bytes that wait behind this packet
};

/// What an acknowledgement tells the congestion control of a queue pair.
struct Feedback {
  std::int64_t now = 0;           ///< ps
  std::int64_t rtt = 0;           ///< ps; start of the packet to its acknowledgement; 0: unknown
  std::uint32_t packets = 0;      ///< that it acknowledges for the first time
  std::uint32_t sequence = 0;     ///< the first packet that is not acknowledged
  std::uint32_t next_packet = 0;  ///< the next one to be sent
  std::uint32_t on_the_way = 0;   ///< packets, after this acknowledgement
  bool is_marked = false;         ///< nscc: whether the last packet that it acknowledges is
  std::span<const HopRecord> hops{};  ///< of the packet; empty where nobody collects them
};

/// What a congestion control may know of the path of a queue pair.
struct PathFacts {
  double line_rate = 0;       ///< of the NIC's port, bit/s
  std::int64_t base_rtt = 0;  ///< ps, of one packet and its acknowledgement through empty queues
  std::uint32_t switches = 0;
  std::uint32_t mtu = 0;   ///< payload of a packet
  std::uint32_t wire = 0;  ///< wire bytes of a full packet
};

}  // namespace railyard::sim::packet
