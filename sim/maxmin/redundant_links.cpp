#include "sim/maxmin/redundant_links.hpp"

#include <algorithm>

namespace railyard::sim {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};

double weight_of(const FlowTable& table, Slot slot, std::size_t hop) {
  const double* const weights = table.weights(slot);
  return weights == nullptr ? 1.0 : weights[hop];
}

// A ring over thousands of GPUs is a path of thousands of links. Paths of up to kLongest links are
// searched completely, of longer ones only this many hops on both sides.
constexpr std::size_t kLongest = 64;
constexpr std::size_t kReach = 8;

}  // namespace

RedundantLinks::RedundantLinks(const FlowTable& table)
    : mask_(table.link_count(), 0),
      bound_(table.link_count(), 0.0),
      ratio_(table.link_count(), 0.0) {
  std::vector<LinkIndex> order;  // wide links first, because they are the most likely to be
                                 // redundant
  for (LinkIndex link = 0; link < table.link_count(); ++link) {
    if (!table.members(link).empty()) order.push_back(link);
  }
  std::sort(order.begin(), order.end(), [&](LinkIndex a, LinkIndex b) {
    return table.capacity[a] != table.capacity[b] ? table.capacity[a] > table.capacity[b] : a > b;
  });
  for (const LinkIndex link : order) {
    for (const Choice choice :
         {Choice::before, Choice::after, Choice::narrowest_first, Choice::narrowest_last}) {
      const bool is_redundant = try_to_spare(table, link, choice);
      for (const LinkIndex feeder : feeders_) {
        if (is_redundant) feeder_ratios_.push_back({key_of(link, feeder), ratio_[feeder]});
        ratio_[feeder] = 0;
      }
      if (is_redundant) break;
    }
  }
  std::sort(feeder_ratios_.begin(), feeder_ratios_.end(),
            [](const FeederRatio& a, const FeederRatio& b) { return a.key < b.key; });
}

bool RedundantLinks::try_to_spare(const FlowTable& table, LinkIndex link, Choice choice) {
  const double capacity = table.capacity[link];
  feeders_.clear();
  double bound = 0;
  bool breaks_ties = true;
  for (const Slot slot : table.members(link)) {
    const std::size_t hop = table.hop_of(slot, link);
    const std::size_t by = feeder_of(table, slot, hop, choice);
    if (by == kNone) return false;
    const LinkIndex feeder = table.links(slot)[by];
    const double ratio = weight_of(table, slot, hop) / weight_of(table, slot, by);
    if (ratio <= ratio_[feeder]) continue;
    if (ratio_[feeder] == 0) feeders_.push_back(feeder);
    bound += table.capacity[feeder] * (ratio - ratio_[feeder]);
    ratio_[feeder] = ratio;
    breaks_ties = breaks_ties && feeder < link;
    if (bound > capacity) return false;
  }
  if (bound == capacity && !breaks_ties) return false;
  mask_[link] = 1;
  bound_[link] = bound;
  ++count_;
  return true;
}

std::size_t RedundantLinks::feeder_of(const FlowTable& table, Slot slot, std::size_t hop,
                                      Choice choice) const {
  const auto links = table.links(slot);
  if (choice == Choice::before) {
    for (std::size_t step = 1; step <= std::min(hop, kReach); ++step) {
      if (!is_redundant(links[hop - step])) return hop - step;
    }
    return kNone;
  }
  if (choice == Choice::after) {
    for (std::size_t i = hop + 1; i < std::min(links.size(), hop + 1 + kReach); ++i) {
      if (!is_redundant(links[i])) return i;
    }
    return kNone;
  }
  if (links.size() > kLongest) return kNone;
  std::size_t found = kNone;
  double least = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (i == hop || is_redundant(links[i])) continue;
    const double level = table.capacity[links[i]] / weight_of(table, slot, i);
    if (found != kNone && (choice == Choice::narrowest_first ? level >= least : level > least))
      continue;
    found = i;
    least = level;
  }
  return found;
}

const RedundantLinks::FeederRatio* RedundantLinks::find(LinkIndex redundant,
                                                        LinkIndex feeder) const {
  const std::uint64_t key = key_of(redundant, feeder);
  const auto at = std::lower_bound(feeder_ratios_.begin(), feeder_ratios_.end(), key,
                                   [](const FeederRatio& f, std::uint64_t k) { return f.key < k; });
  return at != feeder_ratios_.end() && at->key == key ? &*at : nullptr;
}

bool RedundantLinks::covers(const FlowTable& table, Slot slot, LinkIndex caps) const {
  const auto links = table.links(slot);
  for (std::size_t hop = 0; hop < links.size(); ++hop) {
    if (!is_redundant(links[hop])) continue;
    bool is_covered = false;
    const bool is_short = links.size() <= kLongest;
    const std::size_t end = is_short ? links.size() : std::min(links.size(), hop + kReach + 1);
    for (std::size_t by = is_short ? 0 : hop - std::min(hop, kReach); by < end && !is_covered;
         ++by) {
      if (links[by] >= caps) continue;
      const FeederRatio* const feeding = find(links[hop], links[by]);
      is_covered = feeding != nullptr &&
                   weight_of(table, slot, hop) <= feeding->ratio * weight_of(table, slot, by);
    }
    if (!is_covered) return false;
  }
  return true;
}

}  // namespace railyard::sim
