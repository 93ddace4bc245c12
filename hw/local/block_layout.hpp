#pragma once

#include <cstdint>
#include <unordered_map>

#include "collectives/schedule/schedule.hpp"

namespace railyard::hw {

/// The positions of the blocks of all participants in one arena of memory. A block gets its
/// position at the first request, so ranks have memory only for blocks that they use, not for every
/// block of an all-to-all.
class BlockLayout {
 public:
  explicit BlockLayout(const collectives::Schedule& schedule);

  /// Byte offset of a block of a participant.
  [[nodiscard]] std::uint64_t block(collectives::Participant participant, std::uint64_t block);
  /// Byte offset of `bytes` more, for messages that wait between sender and receiver.
  [[nodiscard]] std::uint64_t staging(std::uint64_t bytes);
  /// Bytes needed so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::uint64_t blocks_;
  std::uint64_t block_bytes_;
  std::uint64_t size_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> places_;  ///< participant * blocks + block
};

}  // namespace railyard::hw
