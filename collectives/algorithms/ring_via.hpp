#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/schedule/transfer.hpp"

namespace railyard::collectives {

/// How a hop between two nodes goes: who hands over (PXN), and the NICs of both ends.
struct HopVia {
  Participant relay = kNoParticipant;
  std::int8_t source_nic = -1;
  std::int8_t destination_nic = -1;
};

/// The ways of a ring's hops, stored in the shortest way: by rule where every node is a block of
/// equal size, else one per place.
class RingVia {
 public:
  /// The three kinds of hop between equal nodes; relays are numbers within the sender's
  /// block (position - block * size).
  struct Regular {
    std::uint32_t block = 1;  ///< places per node
    std::uint32_t blocks = 1;
    HopVia from_even;  ///< from a node of even number to the next
    HopVia from_odd;
    HopVia closing;  ///< from the last node to the first
  };
  explicit RingVia(const Regular& regular) : regular_(regular) {}
  /// By place; relays are participants.
  explicit RingVia(std::vector<HopVia> by_place) : by_place_(std::move(by_place)) {}

  /// The way from a place to the next.
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
