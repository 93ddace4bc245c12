#pragma once

#include <cstdint>
#include <vector>

#include "sim/packet/links/ring.hpp"

namespace railyard::sim::packet {

/// State of single packets at both ends of a queue pair, for receivers that keep packets after a
/// gap (selective repeat). It has slots for the packets from the oldest unacknowledged one on.
///
/// The receiver appends each new packet to a list of reports. An acknowledgement carries the length
/// of the list at the time at which it was sent, so it reports all packets that had arrived by then
/// (as a SACK bitmap does), also those of lost acknowledgements.
class Scoreboard {
 public:
  struct Slot {
    std::int64_t sent_at = 0;   ///< ps
    std::uint32_t wanted = 0;   ///< pulls: number of grants that the sender has requested up to
                                ///< this packet
    std::uint16_t path = 0;     ///< index among the routes of its queue pair
    bool received : 1 = false;  ///< at the receiver
    bool acknowledged : 1 = false;
    bool to_resend : 1 = false;  ///< it is in the list of packets to be sent again
    bool resent : 1 = false;     ///< it was sent again, so that its round-trip time is unknown
    bool asks : 1 = false;       ///< it requests an acknowledgement, because the sender waits after
                                 ///< it
    void ask(std::uint32_t pulls, bool for_acknowledgement) {
      wanted = pulls;
      asks = for_acknowledgement;
    }
  };
  struct Report {
    std::uint32_t sequence = 0;
    bool marked = false;
  };
  /// A packet that was sent again, and when.
  struct Repeat {
    std::int64_t sent_at = 0;  ///< ps
    std::uint32_t sequence = 0;
  };
  /// The state of a queue pair in addition to QueuePair. "pulled" means: only used if receivers
  /// pull packets.
  struct Counts {
    // The sender.
    std::uint32_t on_the_way = 0, to_resend = 0;  ///< packets
    std::uint32_t scanned = 0;                    ///< packets before this one were searched for
                                                  ///< gaps
    std::uint32_t credit = 0;                     ///< pulled: number of packets that it may send
    std::uint32_t pulled = 0;                     ///< pulled: number of grants that have arrived
    std::uint32_t initial_window = 0;             ///< pulled: packets
    std::uint32_t returned = 0;    ///< pulled: number of returned packets, for which no grant will
                                   ///< come
    std::uint32_t timed = 0;       ///< packets before this one no longer wait for the time-out of
                                   ///< their first transmission
    std::int64_t expired_at = -1;  ///< ps; time of the last time-out; -1: none
    // The receiver.
    std::uint32_t end_received = 0;         ///< one more than the highest packet that has arrived
    std::uint32_t reported = 0;             ///< length of the list of reports
    std::uint32_t arrived = 0;              ///< pulled: number of packets that arrived, including
                                            ///< trimmed ones
    std::uint32_t wanted = 0, granted = 0;  ///< pulled: number of grants that the sender needs, and
                                            ///< that were sent
    bool is_pulling = false;                ///< it waits for its turn to be pulled
  };

  void add_pair() { pairs_.emplace_back(); }

  [[nodiscard]] Counts& counts(std::uint32_t pair) { return pairs_[pair].counts; }
  [[nodiscard]] const Counts& counts(std::uint32_t pair) const { return pairs_[pair].counts; }
  /// The slot of a packet, which must not be older than the oldest unacknowledged one.
  [[nodiscard]] Slot& slot(std::uint32_t pair, std::uint32_t sequence) {
    Pair& state = pairs_[pair];
    return state.slots[sequence & state.mask()];
  }
  /// Adds a new packet. `oldest`: the oldest unacknowledged packet of the queue pair.
  Slot& add(std::uint32_t pair, std::uint32_t oldest, std::uint32_t sequence) {
    Pair& state = pairs_[pair];
    if (sequence - oldest >= state.slots.size()) grow(state, oldest, sequence);
    return state.slots[sequence & state.mask()] = Slot();
  }
  /// Whether the slot of a packet has not been taken by a later packet before `end`.
  [[nodiscard]] bool holds(std::uint32_t pair, std::uint32_t end, std::uint32_t sequence) const {
    return end - sequence <= pairs_[pair].slots.size();
  }
  [[nodiscard]] Ring<Report>& reports(std::uint32_t pair) { return pairs_[pair].reports; }
  /// Packets to be sent again. Some may have been acknowledged meanwhile.
  [[nodiscard]] Ring<std::uint32_t>& resend(std::uint32_t pair) { return pairs_[pair].resend; }
  /// Packets that were sent again, by time. Some may have been acknowledged meanwhile.
  [[nodiscard]] Ring<Repeat>& repeats(std::uint32_t pair) { return pairs_[pair].repeats; }

  /// Memory in bytes of a queue pair with at most `packets` in flight.
  [[nodiscard]] static constexpr std::size_t pair_bytes(std::size_t packets) {
    return sizeof(Pair) + packets * (sizeof(Slot) + sizeof(Report));
  }

 private:
  struct Pair {
    Counts counts;
    std::vector<Slot> slots;
    Ring<Report> reports;
    Ring<std::uint32_t> resend;
    Ring<Repeat> repeats;
    [[nodiscard]] std::uint32_t mask() const {
      return static_cast<std::uint32_t>(slots.size()) - 1;
    }
  };
  static void grow(Pair& pair, std::uint32_t oldest, std::uint32_t sequence);

  std::vector<Pair> pairs_;
};
static_assert(sizeof(Scoreboard::Slot) == 16);

}  // namespace railyard::sim::packet
