#include "sim/maxmin/never_full.hpp"

#include <cstddef>

namespace railyard::sim {

namespace {

/// Whether the hop `other` of a stream guards its hop `hop`.
bool is_tighter(const FlowTable& table, Slot slot, std::size_t hop, std::size_t other) {
  const auto links = table.links(slot);
  const double* const weights = table.weights(slot);
  const double weight = weights == nullptr ? 1.0 : weights[hop];
  const double other_weight = weights == nullptr ? 1.0 : weights[other];
  const double part = weight * table.capacity[links[other]];
  const double other_part = other_weight * table.capacity[links[hop]];
  return part < other_part || (part == other_part && links[other] < links[hop]);
}

}  // namespace

bool guards(const FlowTable& table, LinkIndex guard, Slot slot, std::size_t hop) {
  const auto links = table.links(slot);
  for (std::size_t other = 0; other < links.size(); ++other) {
    if (links[other] == guard) return is_tighter(table, slot, hop, other);
  }
  return false;
}

std::vector<LinkIndex> never_full(const FlowTable& table) {
  constexpr LinkIndex kUnseen = kUnheld - 1;
  std::vector<LinkIndex> next(table.link_count(), kUnseen), before(table.link_count(), kUnseen);
  const auto narrow = [](LinkIndex& candidate, LinkIndex seen) {
    candidate = candidate == kUnseen || candidate == seen ? seen : kUnheld;
  };
  for (const Slot slot : table.live()) {
    const auto links = table.links(slot);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const bool has_next = i + 1 < links.size() && is_tighter(table, slot, i, i + 1);
      narrow(next[links[i]], has_next ? links[i + 1] : kUnheld);
      const bool has_before = i > 0 && is_tighter(table, slot, i, i - 1);
      narrow(before[links[i]], has_before ? links[i - 1] : kUnheld);
    }
  }
  for (std::size_t link = 0; link < next.size(); ++link) {
    if (next[link] == kUnheld) next[link] = before[link];
    if (next[link] == kUnseen) next[link] = kUnheld;  // nobody crosses it
  }
  return next;
}

}  // namespace railyard::sim
