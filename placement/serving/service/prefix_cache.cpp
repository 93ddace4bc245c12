#include "placement/serving/service/prefix_cache.hpp"

namespace railyard::placement::serving {

std::size_t PrefixCache::hits(Blocks blocks) const {
  std::size_t count = 0;
  while (count < blocks.size() && entries_.contains(blocks[count])) ++count;
  return count;
}

std::int64_t PrefixCache::pin(Blocks blocks) {
  std::int64_t were_idle = 0;
  for (const std::uint32_t block : blocks) {
    Entry& entry = entries_.at(block);
    if (entry.pins++ > 0) continue;
    idle_.erase({entry.last_use, block});
    ++were_idle;
  }
  return were_idle;
}

bool PrefixCache::insert(std::uint32_t block) {
  return entries_.try_emplace(block, Entry{.pins = 1}).second;
}

std::int64_t PrefixCache::unpin(Blocks blocks) {
  std::int64_t now_idle = 0;
  for (std::size_t i = blocks.size(); i-- > 0;) {
    Entry& entry = entries_.at(blocks[i]);
    if (--entry.pins > 0) continue;
    entry.last_use = ++clock_;
    idle_.emplace(entry.last_use, blocks[i]);
    ++now_idle;
  }
  return now_idle;
}

void PrefixCache::evict() {
  entries_.erase(idle_.begin()->second);
  idle_.erase(idle_.begin());
}

}  // namespace railyard::placement::serving
