#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// When the packets on their way were sent and what switches wrote into them: what a real packet
/// and its acknowledgement carry in their headers. By queue pair a ring over sequence numbers; a
/// packet that is sent again replaces its former entry.
class FlightLog {
 public:
  /// `ports`: switch ports on the path that write records; 0: none do.
  void add_pair(std::uint32_t ports) { rings_.emplace_back().ports = ports; }

  /// A packet of a queue pair whose oldest packet on the way is `oldest`.
  void sent(std::uint32_t pair, std::uint32_t oldest, std::uint32_t sequence, std::int64_t at) {
    Ring& ring = rings_[pair];
    if (sequence - oldest >= ring.sent_at.size()) grow(ring, oldest, sequence);
    ring.sent_at[sequence & ring.mask()] = at;
  }
  [[nodiscard]] std::int64_t sent_at(std::uint32_t pair, std::uint32_t sequence) const {
    const Ring& ring = rings_[pair];
    return ring.sent_at[sequence & ring.mask()];
  }
  /// Packets from `at` (ps) on take a path with so many ports that write records. What is known of
  /// the one before is of no use.
  void change_path(std::uint32_t pair, std::uint32_t ports, std::int64_t at);
  /// Whether a packet took the present path of its queue pair.
  [[nodiscard]] bool is_of_path(std::uint32_t pair, std::uint32_t sequence) const {
    return sent_at(pair, sequence) >= rings_[pair].changed_at;
  }
  /// What the switch behind port number `port` of the path has written; of another path: nothing.
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
  /// Room for the records of the previous acknowledgement of a queue pair.
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
