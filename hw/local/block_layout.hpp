#pragma once

#include <cstdint>
#include <unordered_map>

#include "collectives/schedule/schedule.hpp"

namespace railyard::hw {

/// Where the blocks of all participants lie in one arena of memory. A block gets its place when it
/// is first asked for, so that ranks hold what they touch and not every block of an all-to-all.
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
