#include "sim/packet/links/ring_pool.hpp"

namespace railyard::sim::packet {

Packet* RingPool::take(std::uint8_t log) {
  if (!free_[log].empty()) {
    Packet* ring = free_[log].back();
    free_[log].pop_back();
    return ring;
  }
  const std::size_t size = std::size_t{1} << log;
  // A large ring gets a block of its own, inserted before the block that is in use.
  if (size > kBlock / 4) {
    blocks_.insert(blocks_.begin(), LargeVector<Packet>(size));
    return blocks_.front().data();
  }
  if (used_ + size > kBlock) {
    blocks_.emplace_back(kBlock);
    used_ = 0;
  }
  Packet* ring = blocks_.back().data() + used_;
  used_ += size;
  return ring;
}

}  // namespace railyard::sim::packet
