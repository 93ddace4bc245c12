#pragma once

#include <cstdint>
#include <vector>

#include "sim/packet/links/ring.hpp"

namespace railyard::sim::packet {

/// What both ends of a queue pair know of single packets, for receivers that keep what follows a
/// gap (selective repeat). Slots of the packets from the oldest unacknowledged one on.
///
/// The receiver notes each new packet in a list of reports; an acknowledgement carries the length
/// of the list at the time at which it was sent, so it tells all packets that arrived before
/// (as a SACK bitmap does), also those of acknowledgements that were lost.
class Scoreboard {
 public:
  struct Slot {
    std::int64_t sent_at = 0;   ///< ps
    std::uint32_t wanted = 0;   ///< pulls: grants that the sender has asked for with it
    std::uint16_t path = 0;     ///< among those of its queue pair
    bool received : 1 = false;  ///< the receiver has it
    bool acknowledged : 1 = false;
    bool to_resend : 1 = false;  ///< in the list of packets to be sent again
    bool resent : 1 = false;     ///< its round-trip time is not known
    bool asks : 1 = false;       ///< for an acknowledgement: the sender waits after it
    void ask(std::uint32_t pulls, bool for_acknowledgement) {
      wanted = pulls;
      asks = for_acknowledgement;
    }
  };
  struct Report {
    std::uint32_t sequence = 0;
    bool marked = false;
  };
  /// A packet that was sent again, at a time.
  struct Repeat {
    std::int64_t sent_at = 0;  ///< ps
    std::uint32_t sequence = 0;
  };
  /// What a queue pair has beside its QueuePair.
  struct Counts {
    // The sender.
    std::uint32_t on_the_way = 0, to_resend = 0;  ///< packets
    std::uint32_t scanned = 0;                    ///< packets before it were searched for gaps
    std::uint32_t credit = 0;                     ///< pulled: packets that it may send
    std::uint32_t pulled = 0;                     ///< pulled: grants that arrived
    std::uint32_t initial_window = 0;             ///< pulled: packets
    std::uint32_t returned = 0;  ///< pulled: packets that came back, for which nothing is granted
    std::uint32_t timed = 0;     ///< packets before it wait for no time-out of their first sending
    std::int64_t expired_at = -1;  ///< ps; the last time-out
    // The receiver.
    std::uint32_t end_received = 0;         ///< behind the last packet that arrived
    std::uint32_t reported = 0;             ///< length of the list of reports
    std::uint32_t arrived = 0;              ///< pulled: packets, trimmed ones included
    std::uint32_t wanted = 0, granted = 0;  ///< pulled: grants that the sender needs; those sent
    bool is_pulling = false;                ///< waits for its turn to be pulled
  };

  void add_pair() { pairs_.emplace_back(); }

  [[nodiscard]] Counts& counts(std::uint32_t pair) { return pairs_[pair].counts; }
  [[nodiscard]] const Counts& counts(std::uint32_t pair) const { return pairs_[pair].counts; }
  /// The slot of a packet not older than the oldest unacknowledged one.
  [[nodiscard]] Slot& slot(std::uint32_t pair, std::uint32_t sequence) {
    Pair& state = pairs_[pair];
    return state.slots[sequence & state.mask()];
  }
  /// A new packet of a queue pair whose oldest unacknowledged packet is `oldest`.
  Slot& add(std::uint32_t pair, std::uint32_t oldest, std::uint32_t sequence) {
    Pair& state = pairs_[pair];
    if (sequence - oldest >= state.slots.size()) grow(state, oldest, sequence);
    return state.slots[sequence & state.mask()] = Slot();
  }
  /// Whether no later packet of those before `end` has taken the slot of a packet.
  [[nodiscard]] bool holds(std::uint32_t pair, std::uint32_t end, std::uint32_t sequence) const {
    return end - sequence <= pairs_[pair].slots.size();
  }
  [[nodiscard]] Ring<Report>& reports(std::uint32_t pair) { return pairs_[pair].reports; }
  /// Packets to be sent again, those that were acknowledged meanwhile included.
  [[nodiscard]] Ring<std::uint32_t>& resend(std::uint32_t pair) { return pairs_[pair].resend; }
  /// Packets that were sent again, by time, those that were acknowledged meanwhile included.
  [[nodiscard]] Ring<Repeat>& repeats(std::uint32_t pair) { return pairs_[pair].repeats; }

  /// Bytes of memory of a queue pair with at most `packets` on their way.
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
