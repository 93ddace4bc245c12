#include "sim/maxmin/coupled_levels.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::sim {

namespace {
// Levels that differ by less are equal: above the rounding of a few hundred terms that cancel to a
// thousandth of their sum, and two orders below what the certificate asks for.
constexpr double kTolerance = 1e-11;
// A solve takes three passes or so; more than this means that it runs in circles.
constexpr int kMostPasses = 64;
constexpr std::uint32_t kNoRank = ~std::uint32_t{0};
// A local mend is worth a try when less than one part in eight of what was read has changed.
constexpr std::size_t kIdlePart = 8;
}  // namespace

bool CoupledLevels::suits(const FlowTable& table) {
  const auto live = table.live();
  return std::none_of(live.begin(), live.end(),
                      [&](Slot slot) { return table.links(slot).empty(); });
}

void CoupledLevels::begin(std::span<const LinkIndex> saturated) {
  table_.keep_holders(true);
  level_.assign(table_.link_count(), kInfinity);
  held_weight_.assign(table_.link_count(), 0.0);
  held_.assign(table_.link_count(), 0);
  rank_.assign(table_.link_count(), kNoRank);
  order_.clear();
  for (const LinkIndex link : saturated) append(link);
  for (const Slot slot : table_.live()) {
    const SlotState& state = table_.state[slot];
    level_[state.bottleneck] = state.rate;
    ++held_[state.bottleneck];
    held_weight_[state.bottleneck] += table_.weight_on(slot, state.bottleneck);
  }
  for (std::size_t i = 1; i < order_.size(); ++i) {  // they rose, but for the rounding of ties
    level_[order_[i]] = std::max(level_[order_[i]], level_[order_[i - 1]]);
  }
  for (LinkIndex link = 0; link < table_.link_count(); ++link) {
    if (rank_[link] == kNoRank && !table_.members(link).empty()) append(link);
  }
  list_holding();
  first_ = order_.size();
  is_sorted_ = true;
  idle_ = 0;
}

void CoupledLevels::append(LinkIndex link) {
  rank_[link] = static_cast<std::uint32_t>(order_.size());
  order_.push_back(link);
}

/// For links that the table has got meanwhile.
void CoupledLevels::grow() {
  const std::size_t links = table_.link_count();
  level_.resize(links, kInfinity);
  held_weight_.resize(links, 0.0);
  held_.resize(links, 0);
  rank_.resize(links, kNoRank);
}

void CoupledLevels::release(Slot slot) {
  const LinkIndex by = table_.state[slot].bottleneck;
  if (by == kUnheld) return;  // not admitted yet
  first_ = std::min<std::size_t>(first_, rank_[by]);
  held_weight_[by] -= table_.weight_on(slot, by);
  if (--held_[by] == 0) {
    held_weight_[by] = 0;
    level_[by] = kInfinity;
  }
  table_.state[slot].bottleneck = kUnheld;
}

void CoupledLevels::admit() {
  grow();
  for (const Slot slot : table_.pending()) {
    if (!table_.is_live(slot) || table_.state[slot].bottleneck != kUnheld)
      continue;  // listed twice
    LinkIndex by = kUnheld;
    for (const LinkIndex link : table_.links(slot)) {
      if (rank_[link] == kNoRank) append(link);
      if (by == kUnheld || level_[link] < level_[by] ||
          (level_[link] == level_[by] && rank_[link] < rank_[by]))
        by = link;
    }
    table_.state[slot].bottleneck = by;
    held_weight_[by] += table_.weight_on(slot, by);
    ++held_[by];
  }
  for (const Slot slot : table_.pending()) {
    if (table_.is_live(slot)) first_ = 0;
  }
  table_.link_pending();
  is_sorted_ = false;
}

void CoupledLevels::capacity_changed(LinkIndex link) {
  if (rank_[link] == kNoRank) return;
  first_ = std::min<std::size_t>(first_, rank_[link]);
}

bool CoupledLevels::solve() {
  moves_.clear();
  if (!is_sorted_ && first_ == 0) drop_empty();
  if (!is_sorted_) sort();
  old_level_.resize(level_.size());
  for (std::size_t i = first_; i < order_.size(); ++i) old_level_[order_[i]] = level_[order_[i]];
  std::size_t lowest = first_;
  std::size_t read = 0;
  for (int round = 0; round < kMostPasses; ++round) {
    const std::size_t moved = moves_.size();
    if (!pass()) return false;
    ++passes_;
    read += order_.size() - first_;
    if (moves_.size() == moved) {
      list_holding();
      watch(lowest, read);
      first_ = order_.size();
      return true;
    }
    sort();
    first_ = order_.size();
    for (std::size_t i = moved; i < moves_.size(); ++i)
      first_ = std::min<std::size_t>(first_, rank_[moves_[i].to]);
    lowest = std::min(lowest, first_);
  }
  return false;
}

/// Links that nobody crosses any more, such as the caps of streams that ended.
void CoupledLevels::drop_empty() {
  std::erase_if(order_, [&](LinkIndex link) {
    if (!table_.members(link).empty()) return false;
    rank_[link] = kNoRank;
    level_[link] = kInfinity;
    return true;
  });
}

void CoupledLevels::list_holding() {
  holding_.clear();
  for (const LinkIndex link : order_)
    if (held_[link] > 0) holding_.push_back(link);
}

void CoupledLevels::watch(std::size_t lowest, std::size_t read) {
  std::size_t changed = 0;
  for (std::size_t i = lowest; i < order_.size(); ++i) {
    const LinkIndex link = order_[i];
    if (!(std::abs(level_[link] - old_level_[link]) <= kTolerance * level_[link])) ++changed;
  }
  idle_ = changed * kIdlePart < read ? idle_ + 1 : 0;
}

bool CoupledLevels::pass() {
  // What is read before its turn would be stale: it shows as not a number.
  for (std::size_t i = first_; i < order_.size(); ++i)
    level_[order_[i]] = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = first_; i < order_.size(); ++i) {
    const LinkIndex link = order_[i];
    level_[link] = 0;  // of those it holds itself
    const Row row = read(link);
    if (std::isnan(row.others)) return false;
    evaluate(link, row);
  }
  return true;
}

CoupledLevels::Row CoupledLevels::read(LinkIndex link) const {
  const auto holders = table_.holders(link);
  const double* const shares = table_.holder_shares(link);
  const double* const level = level_.data();
  Row row;
  if (shares != nullptr) {
    for (std::size_t i = 0; i < holders.size(); ++i) {
      row.others += shares[i] * level[holders[i]];
      row.fastest = std::max(row.fastest, level[holders[i]]);
    }
    return row;
  }
  double sum[4] = {0, 0, 0, 0};
  double top[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= holders.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double x = level[holders[i + k]];
      sum[k] += x;
      top[k] = x > top[k] ? x : top[k];
    }
  }
  for (; i < holders.size(); ++i) {
    sum[0] += level[holders[i]];
    top[0] = std::max(top[0], level[holders[i]]);
  }
  row.others = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  row.fastest = std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
  return row;
}

void CoupledLevels::evaluate(LinkIndex link, const Row& row) {
  const double capacity = table_.capacity[link];
  if (held_[link] == 0) {
    if (row.others <= capacity * (1 + kTolerance)) {
      level_[link] = kInfinity;
    } else {
      take_over(link, 0);
    }
    return;
  }
  const double level = std::max(capacity - row.others, 0.0) / held_weight_[link];
  if (row.fastest <= level * (1 + kTolerance)) {
    level_[link] = std::max(level, row.fastest);  // so that levels never fall along a chain of ties
  } else {
    take_over(link, level);
  }
}

void CoupledLevels::take_over(LinkIndex link, double level) {
  const auto holders = table_.holders(link);
  const double* const shares = table_.holder_shares(link);
  while (true) {
    double rest = 0;
    double weight = held_weight_[link];
    for (std::size_t i = 0; i < holders.size(); ++i) {
      if (holders[i] == link) continue;
      const double share = shares != nullptr ? shares[i] : 1.0;
      if (level_[holders[i]] > level * (1 + kTolerance)) {
        weight += share;
      } else {
        rest += share * level_[holders[i]];
      }
    }
    const double higher = weight > 0 ? std::max(table_.capacity[link] - rest, 0.0) / weight : level;
    if (higher <= level * (1 + kTolerance)) break;
    level = higher;
  }
  const auto members = table_.members(link);
  double fastest = 0;  // of those that stay where they are
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const LinkIndex from = holders[i];
    if (from == link) continue;
    if (!(level_[from] > level * (1 + kTolerance))) {
      fastest = std::max(fastest, level_[from]);
      continue;
    }
    const Slot slot = members[i];
    held_weight_[from] =
        --held_[from] == 0 ? 0.0 : held_weight_[from] - table_.weight_on(slot, from);
    ++held_[link];
    held_weight_[link] += shares != nullptr ? shares[i] : 1.0;
    table_.set_holder(slot, link);
    moves_.push_back({slot, from, link});
  }
  level_[link] = held_[link] == 0 ? kInfinity : std::max(level, fastest);
}

/// By level; equal ones stay as they are, which is an order that they can be solved in. Nearly
/// sorted already, hence by insertion.
void CoupledLevels::sort() {
  is_sorted_ = true;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const LinkIndex link = order_[i];
    if (held_[link] == 0) level_[link] = kInfinity;
    const double level = level_[link];
    std::size_t at = i;
    for (; at > 0 && level_[order_[at - 1]] > level; --at) {
      order_[at] = order_[at - 1];
      rank_[order_[at]] = static_cast<std::uint32_t>(at);
    }
    order_[at] = link;
    rank_[link] = static_cast<std::uint32_t>(at);
  }
}

void CoupledLevels::write_rates() const {
  for (const Slot slot : table_.live()) {
    SlotState& state = table_.state[slot];
    if (state.bottleneck != kUnheld) state.rate = level_[state.bottleneck];
  }
}

}  // namespace railyard::sim
