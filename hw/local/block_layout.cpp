#include "hw/local/block_layout.hpp"

namespace railyard::hw {
namespace {

/// A cache line (x86-64 and most ARM servers), so that neighbours do not share one.
constexpr std::uint64_t kLine = 64;

}  // namespace

BlockLayout::BlockLayout(const collectives::Schedule& schedule)
    : blocks_(schedule.blocks()),
      block_bytes_(static_cast<std::uint64_t>(schedule.block_bytes().count())) {}

std::uint64_t BlockLayout::block(collectives::Participant participant, std::uint64_t block) {
  const auto [found, is_new] = places_.try_emplace(participant * blocks_ + block, size_);
  if (is_new) size_ += (block_bytes_ + kLine - 1) / kLine * kLine;
  return found->second;
}

std::uint64_t BlockLayout::staging(std::uint64_t bytes) {
  const std::uint64_t place = size_;
  size_ += (bytes + kLine - 1) / kLine * kLine;
  return place;
}

}  // namespace railyard::hw
