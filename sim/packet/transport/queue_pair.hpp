#pragma once

#include <cstdint>

namespace railyard::sim::packet {

inline constexpr std::uint32_t kNoMessage = ~std::uint32_t{0};

/// Payload of a read request: the RDMA extended transport header (InfiniBand Architecture
/// Specification 1.4, section 9.3).
inline constexpr std::uint32_t kReadRequest = 16;

/// ps per byte * 2^16 at a rate in bit/s.
[[nodiscard]] inline std::uint64_t pace_of(double rate) {
  return static_cast<std::uint64_t>(8e12 * 65536 / rate);
}

/// Bytes that a queue pair carries in one work request. Its packets have consecutive numbers.
struct Message {
  std::uint64_t bytes = 0;     ///< of a read request: of its response
  std::int64_t posted_at = 0;  ///< ps
  std::uint32_t first_packet = 0, packets = 0;
  std::uint32_t last_payload = 0;  ///< bytes of its last packet; the others carry an MTU
  std::uint32_t pair = 0;
  std::uint32_t tag = 0;            ///< of whoever posted it
  std::uint32_t next = kNoMessage;  ///< of the same queue pair
  std::uint32_t received = 0;       ///< packets
  bool is_delivered = false;
};

/// Which packets a receiver accepts: only the next one, any, or any with a report of each
/// (Scoreboard).
enum class Accepts : std::uint8_t { in_order, any, selected };

/// Both ends of a reliable connection. Rate and sequence numbers persist from message to message.
/// The receiver accepts packets in order and drops those after a gap (go-back-N), or accepts them
/// in any order if packets are sprayed or repeated selectively.
struct QueuePair {
  // The sender.
  std::uint32_t next_packet = 0;                             ///< to be sent
  std::uint32_t unacknowledged = 0;                          ///< the oldest one
  std::uint32_t end_packet = 0;                              ///< of all messages posted so far
  std::uint32_t sender = 0;                                  ///< number of its sending port
  std::uint32_t first_path = 0, paths = 1, path_cursor = 0;  ///< routes, used in turn
  std::uint32_t sending = kNoMessage;                        ///< the message of next_packet
  std::uint32_t oldest = kNoMessage;                         ///< the first that is not acknowledged
  std::uint32_t newest = kNoMessage;
  std::uint32_t to_post = kNoMessage;       ///< the first message whose time has not come
  std::uint32_t last_to_post = kNoMessage;  ///< the last one
  std::uint32_t back_leg = 0;               ///< route of acknowledgements
  std::uint8_t lane = 0;                    ///< queue of its data in the ports (Links)
  std::uint64_t pace = 0;                   ///< ps per byte * 2^16
  std::uint64_t window = 0;      ///< bytes of payload: a packet is sent while less is on the way
  std::int64_t may_send_at = 0;  ///< ps
  std::int64_t progress_at = 0;  ///< ps; last acknowledgement of something new, or first send
  bool is_queued = false;        ///< waits at its sending port
  bool has_timer = false;
  // The receiver.
  bool has_nacked = false;
  Accepts accepts = Accepts::in_order;
  std::uint32_t expected = 0;
  std::uint32_t since_ack = 0;           ///< packets
  std::uint32_t receiving = kNoMessage;  ///< the first that is not complete
  std::int64_t next_cnp_at = 0;          ///< ps

  [[nodiscard]] bool is_selective() const { return accepts == Accepts::selected; }
};
// An all-to-all has a queue pair for each pair of hosts, and waits for their memory.
static_assert(sizeof(QueuePair) == 112);

}  // namespace railyard::sim::packet
