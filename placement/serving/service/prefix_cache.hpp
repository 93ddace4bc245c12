#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace railyard::placement::serving {

/// Blocks of prompts that a replica keeps in its KV cache for later requests, as in vLLM's
/// automatic prefix caching. A block is pinned while a running sequence uses it, and idle
/// otherwise. The least recently used idle block is evicted first; among the blocks of one
/// sequence, the last.
class PrefixCache {
 public:
  using Blocks = std::span<const std::uint32_t>;

  /// Number of leading blocks that are cached, pinned or idle.
  [[nodiscard]] std::size_t hits(Blocks blocks) const;
  /// Pins cached blocks. Returns the number of blocks that were idle.
  std::int64_t pin(Blocks blocks);
  /// Adds a block, pinned once. Returns false without a change if it is already cached.
  [[nodiscard]] bool insert(std::uint32_t block);
  /// Reverts a pin() or insert() of each block. Returns the number of blocks that became idle.
  std::int64_t unpin(Blocks blocks);
  /// Removes the least recently used idle block. There must be one.
  void evict();
  [[nodiscard]] std::int64_t idle() const { return static_cast<std::int64_t>(idle_.size()); }

 private:
  struct Entry {
    std::int64_t pins = 0;
    std::uint64_t last_use = 0;
  };
  std::map<std::uint32_t, Entry> entries_{};
  std::set<std::pair<std::uint64_t, std::uint32_t>> idle_{};  ///< last use and block
  std::uint64_t clock_ = 0;
};

}  // namespace railyard::placement::serving
