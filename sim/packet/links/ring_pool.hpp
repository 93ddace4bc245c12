#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/huge_pages.hpp"
#include "sim/packet/links/packet.hpp"

namespace railyard::sim::packet {

/// Memory for rings of 2^log packets, in blocks on huge pages. A returned ring is reused for
/// another ring of the same size.
class RingPool {
 public:
  [[nodiscard]] Packet* take(std::uint8_t log);
  void give_back(Packet* ring, std::uint8_t log) { free_[log].push_back(ring); }

 private:
  static constexpr std::size_t kBlock = (std::size_t{2} << 20) / sizeof(Packet);

  std::vector<LargeVector<Packet>> blocks_;
  std::size_t used_ = kBlock;  ///< used packets of the last block
  std::array<std::vector<Packet*>, 32> free_;
};

}  // namespace railyard::sim::packet
