#pragma once

#include <cstdint>

namespace railyard::sim::packet {

inline constexpr std::uint32_t kNoMessage = ~std::uint32_t{0};

/// Payload bytes of a read request: the RDMA extended transport header (InfiniBand Architecture
/// Specification 1.4, section 9.3).
inline constexpr std::uint32_t kReadRequest = 16;

/// Converts a rate in bit/s into ps per byte * 2^16.
[[nodiscard]] inline std::uint64_t pace_of(double rate) {
  return static_cast<std::uint64_t>(8e12 * 65536 / rate);
}

/// The bytes of one work request on a queue pair. Its packets have consecutive numbers.
struct Message {
  std::uint64_t bytes = 0;     ///< for a read request: bytes of its response
  std::int64_t posted_at = 0;  ///< ps
  std::uint32_t first_packet = 0, packets = 0;
  std::uint32_t last_payload = 0;  ///< bytes of its last packet; the others are full
  std::uint32_t pair = 0;
  std::uint32_t tag = 0;            ///< number given by the caller of Engine::post
  std::uint32_t next = kNoMessage;  ///< next message of the same queue pair
  std::uint32_t received = 0;       ///< packets
  bool is_delivered = false;
};

/// The packets that a receiver accepts: only the next one; any; or any, with a report of each
/// packet to the sender (Scoreboard).
enum class Accepts : std::uint8_t { in_order, any, selected };

/// Both ends of a reliable connection. Rate and sequence numbers continue from message to message.
/// The receiver accepts packets in order and discards packets after a gap (go-back-N), or accepts
/// them in any order if packets are sprayed or repeated selectively.
struct QueuePair {
  // The sender.
  std::uint32_t next_packet = 0;                             ///< the next packet to be sent
  std::uint32_t unacknowledged = 0;                          ///< the oldest unacknowledged packet
  std::uint32_t end_packet = 0;                              ///< number of packets of all messages
                                                             ///< posted so far
  std::uint32_t sender = 0;                                  ///< number of its sending port
  std::uint32_t first_path = 0, paths = 1, path_cursor = 0;  ///< routes, which are used in turn
  std::uint32_t sending = kNoMessage;                        ///< the message of next_packet
  std::uint32_t oldest = kNoMessage;                         ///< the first message that is not
                                                             ///< acknowledged
  std::uint32_t newest = kNoMessage;
  std::uint32_t to_post = kNoMessage;       ///< the first message whose posting time is in the
                                            ///< future
  std::uint32_t last_to_post = kNoMessage;  ///< the last such message
  std::uint32_t back_leg = 0;               ///< route of acknowledgements
  std::uint8_t lane = 0;                    ///< queue of its data in the ports (Links)
  std::uint64_t pace = 0;                   ///< ps per byte * 2^16
  std::uint64_t window = 0;      ///< bytes of payload; a packet is sent while fewer are in flight
  std::int64_t may_send_at = 0;  ///< ps
  std::int64_t progress_at = 0;  ///< ps; last acknowledgement of new packets, or first send
  bool is_queued = false;        ///< it waits at its sending port
  bool has_timer = false;
  // The receiver.
  bool has_nacked = false;
  Accepts accepts = Accepts::in_order;
  std::uint32_t expected = 0;
  std::uint32_t since_ack = 0;           ///< packets
  std::uint32_t receiving = kNoMessage;  ///< the first message that is not complete
  std::int64_t next_cnp_at = 0;          ///< ps

  [[nodiscard]] bool is_selective() const { return accepts == Accepts::selected; }
};
// An all-to-all has a queue pair for each pair of hosts, and cache misses on them limit its speed.
static_assert(sizeof(QueuePair) == 112);

}  // namespace railyard::sim::packet
