#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// When packets in flight were sent, and the records that switches wrote into them. Real packets
/// and acknowledgements carry this in their headers. Each queue pair has a ring indexed by sequence
/// number; a packet that is sent again replaces its former entry.
class FlightLog {
 public:
  /// `ports`: the number of switch ports on the path that write records; 0: none.
  void add_pair(std::uint32_t ports) { rings_.emplace_back().ports = ports; }

  /// Notes that a packet was sent. `oldest`: the oldest packet in flight of the queue pair.
  void sent(std::uint32_t pair, std::uint32_t oldest, std::uint32_t sequence, std::int64_t at) {
    Ring& ring = rings_[pair];
    if (sequence - oldest >= ring.sent_at.size()) grow(ring, oldest, sequence);
    ring.sent_at[sequence & ring.mask()] = at;
  }
  [[nodiscard]] std::int64_t sent_at(std::uint32_t pair, std::uint32_t sequence) const {
    const Ring& ring = rings_[pair];
    return ring.sent_at[sequence & ring.mask()];
  }
  /// Packets that are sent from `at` (ps) on take another path, on which `ports` switch ports write
  /// records. Discards the records of the old path.
  void change_path(std::uint32_t pair, std::uint32_t ports, std::int64_t at);
  /// Whether a packet took the present path of its queue pair.
  [[nodiscard]] bool is_of_path(std::uint32_t pair, std::uint32_t sequence) const {
    return sent_at(pair, sequence) >= rings_[pair].changed_at;
  }
  /// Stores the record of switch port number `port` on the path. Ignores ports that the path does
  /// not have.
  void record(std::uint32_t pair, std::uint32_t sequence, std::uint32_t port,
              const HopRecord& record) {
    Ring& ring = rings_[pair];
    if (port >= ring.ports) return;
    ring.records[std::size_t{sequence & ring.mask()} * ring.ports + port] = record;
  }
  [[nodiscard]] std::span<const HopRecord> records(std::uint32_t pair,
                                                   std::uint32_t sequence) const {
    const Ring& ring = rings_[pair];
    return std::span(ring.records)
        .subspan(std::size_t{sequence & ring.mask()} * ring.ports, ring.ports);
  }
  /// The records of the previous acknowledgement of a queue pair, to be overwritten by the caller.
  [[nodiscard]] std::span<HopRecord> previous(std::uint32_t pair) {
    Ring& ring = rings_[pair];
    if (ring.previous.size() < ring.ports) ring.previous.resize(ring.ports);
    return ring.previous;
  }

 private:
  struct Ring {
    std::vector<std::int64_t> sent_at;
    std::vector<HopRecord> records, previous;
    std::uint32_t ports = 0;
    std::int64_t changed_at = 0;  ///< ps
    [[nodiscard]] std::uint32_t mask() const {
      return static_cast<std::uint32_t>(sent_at.size()) - 1;
    }
  };
  static void grow(Ring& ring, std::uint32_t oldest, std::uint32_t sequence);

  std::vector<Ring> rings_;
};

}  // namespace railyard::sim::packet
