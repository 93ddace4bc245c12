#include "sim/maxmin/cap_links.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::sim {

LinkIndex CapLinks::take(double cap) {
  if (std::isinf(cap)) return kNoLink;
  if (free_.empty()) return table_.add_link(cap);
  const LinkIndex link = free_.back();
  free_.pop_back();
  table_.capacity[link] = cap;
  table_.load[link] = 0;  // removes the rounding error that the last stream may have left
  return link;
}

LinkIndex CapLinks::of(Slot slot) const {
  if (table_.link_count() == first_) return kNoLink;
  const auto links = table_.all_links(slot);
  const auto cap =
      std::find_if(links.begin(), links.end(), [&](LinkIndex l) { return l >= first_; });
  return cap == links.end() ? kNoLink : *cap;
}

void CapLinks::give_back(std::span<const Slot> slots) {
  if (table_.link_count() == first_) return;
  for (const Slot slot : slots) {
    const LinkIndex link = of(slot);
    if (link != kNoLink) free_.push_back(link);
  }
}

}  // namespace railyard::sim
