#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/schedule/transfer.hpp"

namespace railyard::collectives {

/// How a hop between two nodes uses NICs: the relay that sends on behalf of the source (PXN), and
/// the NIC at both ends. -1 means the nearest NIC.
struct HopVia {
  Participant relay = kNoParticipant;
  std::int8_t source_nic = -1;
  std::int8_t destination_nic = -1;
};

/// The relays and NICs of the hops of a ring, in compact storage: by rule if all nodes are blocks
/// of equal size, else one entry per place.
class RingVia {
 public:
  /// The three kinds of hops between equal nodes. Relays are numbers within the block of the sender
  /// (position - block * size).
  struct Regular {
    std::uint32_t block = 1;  ///< number of places per node
    std::uint32_t blocks = 1;
    HopVia from_even;  ///< from an even-numbered node to the next
    /// From an odd-numbered node to the next.
    HopVia from_odd;
    HopVia closing;  ///< from the last node to the first
  };
  explicit RingVia(const Regular& regular) : regular_(regular) {}
  /// One entry per place; relays are participants.
  explicit RingVia(std::vector<HopVia> by_place) : by_place_(std::move(by_place)) {}

  /// The relay and NICs of the hop from a place to the next.
  [[nodiscard]] HopVia operator[](std::uint32_t place) const {
    if (!by_place_.empty()) return by_place_[place];
    if ((place + 1) % regular_.block != 0) return {};
    const std::uint32_t block = place / regular_.block;
    HopVia via = block + 1 == regular_.blocks ? regular_.closing
                 : block % 2 == 0             ? regular_.from_even
                                              : regular_.from_odd;
    if (via.relay != kNoParticipant) via.relay += block * regular_.block;
    return via;
  }

 private:
  Regular regular_;
  std::vector<HopVia> by_place_;
};

}  // namespace railyard::collectives
