#include "sim/maxmin/coupled_levels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace railyard::sim {

namespace {
// Levels with a smaller relative difference count as equal. It is above the rounding error of a few
// hundred terms that cancel to a thousandth of their sum, and two orders of magnitude below the
// tolerance of the certificate.
constexpr double kTolerance = 1e-11;
// Limit on passes. A solve needs about three; more indicate that it does not converge.
constexpr int kMostPasses = 64;
constexpr std::uint32_t kNoRank = ~std::uint32_t{0};
// A solve counts as idle if less than one in kIdlePart bottleneck links changes its level; a local
// repair may then be faster.
constexpr std::size_t kIdlePart = 8;
// Passes become dense if more than one in kDensePart streams changes its rate: to find the links
// that depend on a stream's rate costs about as much as reading this many crossings
// (`railyard_flows a2arand`). They become sparse again at half of that, so that the modes do not
// alternate.
constexpr std::size_t kDensePart = 32;
}  // namespace

bool CoupledLevels::suits(const FlowTable& table) {
  const auto live = table.live();
  return std::none_of(live.begin(), live.end(),
                      [&](Slot slot) { return table.links(slot).empty(); });
}

void CoupledLevels::begin(std::span<const LinkIndex> saturated) {
  table_.keep_bottlenecks(true);
  const std::size_t links = table_.link_count();
  level_.assign(links, kInfinity);
  held_weight_.assign(links, 0.0);
  held_.assign(links, 0);
  rank_.assign(links, kNoRank);
  is_due_.assign(links, 0);
  due_ = 0;
  due_empty_.clear();
  begun_.clear();
  order_.clear();
  for (const LinkIndex link : saturated) append(link);
  for (const Slot slot : table_.live()) {
    const SlotState& state = table_.state[slot];
    level_[state.bottleneck] = state.rate;
    ++held_[state.bottleneck];
    held_weight_[state.bottleneck] += table_.weight_on(slot, state.bottleneck);
  }
  for (std::size_t i = 1; i < order_.size(); ++i) {  // levels rise along the order, except for
                                                     // rounding errors of equal levels
    level_[order_[i]] = std::max(level_[order_[i]], level_[order_[i - 1]]);
  }
  is_sorted_ = true;
  is_dense_ = false;
  dense_solves_ = idle_ = 0;
}

void CoupledLevels::append(LinkIndex link) {
  rank_[link] = static_cast<std::uint32_t>(order_.size());
  order_.push_back(link);
}

/// Adds links that were added to the table.
void CoupledLevels::grow() {
  const std::size_t links = table_.link_count();
  level_.resize(links, kInfinity);
  held_weight_.resize(links, 0.0);
  held_.resize(links, 0);
  rank_.resize(links, kNoRank);
  is_due_.resize(links, 0);
}

void CoupledLevels::mark(LinkIndex link) {
  if (is_due_[link] != 0) return;
  is_due_[link] = 1;
  ++due_;
  if (rank_[link] == kNoRank) due_empty_.push_back(link);
}

/// Marks the links of a stream as due, except `link`.
void CoupledLevels::mark_others(Slot slot, LinkIndex link) {
  for (const LinkIndex other : table_.links(slot))
    if (other != link) mark(other);
}

void CoupledLevels::hold(LinkIndex link, double weight) {
  if (held_[link]++ == 0 && rank_[link] == kNoRank) begun_.push_back(link);
  held_weight_[link] += weight;
}

void CoupledLevels::let_go(LinkIndex link, double weight) {
  held_weight_[link] = --held_[link] == 0 ? 0.0 : held_weight_[link] - weight;
}

void CoupledLevels::release(Slot slot) {
  const LinkIndex by = table_.state[slot].bottleneck;
  if (by == kNoLink) return;  // not admitted yet
  let_go(by, table_.weight_on(slot, by));
  if (held_[by] == 0) level_[by] = kInfinity;
  mark_others(slot, kNoLink);
  table_.state[slot].bottleneck = kNoLink;
}

void CoupledLevels::admit() {
  grow();
  for (const Slot slot : table_.pending()) {
    if (!table_.is_live(slot) || table_.state[slot].bottleneck != kNoLink)
      continue;  // the stream is listed twice
    const LinkIndex by = slowest_of(slot);
    table_.state[slot].bottleneck = by;
    const double weight = table_.weight_on(slot, by);
    if (held_[by] == 0)
      level_[by] = table_.capacity[by] / weight;  // an estimate, for its position
                                                  // in the order
    hold(by, weight);
    mark_others(slot, kNoLink);
  }
  table_.link_pending();
  is_sorted_ = false;
}

/// The link of a new stream with the lowest level. A link that is no stream's bottleneck counts
/// with the level that it would give to this stream alone.
LinkIndex CoupledLevels::slowest_of(Slot slot) const {
  const auto links = table_.links(slot);
  const double* const weights = table_.weights(slot);
  LinkIndex slowest = kNoLink;
  double lowest = kInfinity;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkIndex link = links[i];
    const double weight = weights != nullptr ? weights[i] : 1.0;
    const double level = held_[link] == 0 ? table_.capacity[link] / weight : level_[link];
    const auto is_lower = [&] {
      if (slowest == kNoLink || level != lowest) return slowest == kNoLink || level < lowest;
      return rank_[link] != rank_[slowest] ? rank_[link] < rank_[slowest] : link < slowest;
    };
    if (!is_lower()) continue;
    slowest = link;
    lowest = level;
  }
  return slowest;
}

void CoupledLevels::capacity_changed(LinkIndex link) {
  if (link < is_due_.size()) mark(link);
}

bool CoupledLevels::solve() {
  moves_.clear();
  changed_ = changed_streams_ = 0;
  std::size_t first = is_dense_ ? first_due() : 0;
  for (int round = 0; round < kMostPasses; ++round) {
    if (!is_sorted_) {
      sort();
      if (is_dense_) first = round == 0 ? first_due() : first_of_moves(first_move_);
    }
    first_move_ = moves_.size();
    if (!(is_dense_ ? pass_over_all(first) : pass_over_due())) return false;
    ++passes_;
    is_sorted_ = moves_.size() == first_move_;
    if (!is_sorted_) continue;
    if (due_ > 0) return false;  // a link changed after its turn
    idle_ = changed_ * kIdlePart < order_.size() ? idle_ + 1 : 0;
    choose_passes();
    return true;
  }
  return false;
}

/// The first position in order_ of a link that is due.
std::size_t CoupledLevels::first_due() const {
  const auto due = std::ranges::find_if(order_, [&](LinkIndex link) { return is_due_[link] != 0; });
  return static_cast<std::size_t>(due - order_.begin());
}

/// The first position in order_ of a link that became the bottleneck of more streams, by the moves
/// from index `from` on.
std::size_t CoupledLevels::first_of_moves(std::size_t from) const {
  std::size_t first = order_.size();
  for (std::size_t i = from; i < moves_.size(); ++i)
    first = std::min<std::size_t>(first, rank_[moves_[i].to]);
  return first;
}

/// Evaluates the due links: first bottleneck links in their order, then the others. Returns false
/// if the solve must be given up.
bool CoupledLevels::pass_over_due() {
  for (std::size_t i = 0; due_ > 0 && i < order_.size(); ++i) {
    const LinkIndex link = order_[i];
    if (is_due_[link] != 0 && !evaluate(link, level_[link])) return false;
  }
  for (std::size_t i = 0; i < due_empty_.size(); ++i) {
    const LinkIndex link = due_empty_[i];
    if (is_due_[link] != 0 && rank_[link] == kNoRank && !evaluate(link, kInfinity)) return false;
  }
  due_empty_.clear();
  return true;
}

/// Evaluates all links from position `first` of the order on, whether due or not.
bool CoupledLevels::pass_over_all(std::size_t first) {
  for (const LinkIndex link : due_empty_) note_crossed(link);
  due_empty_.clear();
  std::ranges::fill(is_due_, 0);
  due_ = 0;
  old_level_.resize(level_.size());
  for (std::size_t i = first; i < order_.size(); ++i) {
    old_level_[order_[i]] = level_[order_[i]];
    // NaN until its turn, so that evaluate() notices a level that is read too early.
    level_[order_[i]] = std::numeric_limits<double>::quiet_NaN();
  }
  for (std::size_t i = first; i < order_.size(); ++i)
    if (!evaluate(order_[i], old_level_[order_[i]])) return false;
  std::erase_if(crossed_, [&](LinkIndex link) {
    if (!table_.members(link).empty()) return false;
    is_crossed_[link] = 0;
    return true;
  });
  for (const LinkIndex link : crossed_)
    if (rank_[link] == kNoRank && !evaluate(link, kInfinity)) return false;
  return true;
}

/// Chooses the kind of the next passes. A pass over due links marks, stream by stream, the links
/// that a changed level makes due. If this is more work than to read all links in order, the next
/// passes evaluate all links.
void CoupledLevels::choose_passes() {
  const bool was_dense = is_dense_;
  is_dense_ = changed_streams_ * (was_dense ? kDensePart * 2 : kDensePart) > table_.live().size();
  dense_solves_ = is_dense_ ? dense_solves_ + 1 : 0;
  if (!is_dense_ || was_dense) return;
  crossed_.clear();
  is_crossed_.assign(table_.link_count(), 0);
  for (LinkIndex link = 0; link < table_.link_count(); ++link)
    if (!table_.members(link).empty()) note_crossed(link);
}

void CoupledLevels::note_crossed(LinkIndex link) {
  if (is_crossed_.size() < table_.link_count()) is_crossed_.resize(table_.link_count(), 0);
  if (std::exchange(is_crossed_[link], 1) == 0) crossed_.push_back(link);
}

CoupledLevels::Row CoupledLevels::read(LinkIndex link) const {
  const auto bottlenecks = table_.bottlenecks(link);
  const double* const shares = table_.bottleneck_weights(link);
  const double* const level = level_.data();
  Row row;
  if (shares != nullptr) {
    for (std::size_t i = 0; i < bottlenecks.size(); ++i) {
      row.others += shares[i] * level[bottlenecks[i]];
      row.fastest = std::max(row.fastest, level[bottlenecks[i]]);
    }
    return row;
  }
  double sum[4] = {0, 0, 0, 0};
  double top[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= bottlenecks.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double x = level[bottlenecks[i + k]];
      sum[k] += x;
      top[k] = x > top[k] ? x : top[k];
    }
  }
  for (; i < bottlenecks.size(); ++i) {
    sum[0] += level[bottlenecks[i]];
    top[0] = std::max(top[0], level[bottlenecks[i]]);
  }
  row.others = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  row.fastest = std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
  return row;
}

/// Computes the level of a link, whose previous level is `before`. Returns false if it needs the
/// level of a link whose turn has not come.
bool CoupledLevels::evaluate(LinkIndex link, double before) {
  if (std::exchange(is_due_[link], 0) != 0) --due_;
  level_[link] = 0;  // excludes the streams whose bottleneck is this link
  const Row row = read(link);
  if (std::isnan(row.others)) return false;
  const double capacity = table_.capacity[link];
  const double level =
      held_[link] == 0 ? 0.0 : std::max(capacity - row.others, 0.0) / held_weight_[link];
  if (held_[link] == 0 && row.others <= capacity * (1 + kTolerance)) {
    level_[link] = kInfinity;
  } else if (held_[link] == 0 || row.fastest > level * (1 + kTolerance)) {
    take_over(link, level);
  } else {
    level_[link] = std::max(level, row.fastest);  // so that levels do not fall along a chain of
                                                  // equal levels
  }
  if (level_[link] == before || held_[link] == 0) return true;
  ++changed_;
  changed_streams_ += held_[link];
  if (!is_dense_) spread(link);
  return true;
}

/// Marks all links whose load changes because the level of this link has changed.
void CoupledLevels::spread(LinkIndex link) {
  const auto bottlenecks = table_.bottlenecks(link);
  const auto members = table_.members(link);
  for (std::size_t i = 0; i < bottlenecks.size(); ++i) {
    if (bottlenecks[i] == link) mark_others(members[i], link);
  }
}

void CoupledLevels::take_over(LinkIndex link, double level) {
  const auto bottlenecks = table_.bottlenecks(link);
  const double* const shares = table_.bottleneck_weights(link);
  while (true) {
    double rest = 0;
    double weight = held_weight_[link];
    for (std::size_t i = 0; i < bottlenecks.size(); ++i) {
      if (bottlenecks[i] == link) continue;
      const double share = shares != nullptr ? shares[i] : 1.0;
      if (level_[bottlenecks[i]] > level * (1 + kTolerance)) {
        weight += share;
      } else {
        rest += share * level_[bottlenecks[i]];
      }
    }
    const double higher = weight > 0 ? std::max(table_.capacity[link] - rest, 0.0) / weight : level;
    if (higher <= level * (1 + kTolerance)) break;
    level = higher;
  }
  const auto members = table_.members(link);
  double fastest = 0;  // highest level of the streams that keep their bottleneck
  for (std::size_t i = 0; i < bottlenecks.size(); ++i) {
    const LinkIndex from = bottlenecks[i];
    if (from == link) continue;
    if (!(level_[from] > level * (1 + kTolerance))) {
      fastest = std::max(fastest, level_[from]);
      continue;
    }
    const Slot slot = members[i];
    let_go(from, table_.weight_on(slot, from));
    hold(link, shares != nullptr ? shares[i] : 1.0);
    table_.set_bottleneck(slot, link);
    moves_.push_back({slot, from, link});
    if (!is_dense_) mark_others(slot, link);
  }
  level_[link] = held_[link] == 0 ? kInfinity : std::max(level, fastest);
}

/// Sorts the bottleneck links by level. Links of equal level keep their order, in which the system
/// is solvable. Uses insertion, because the links are nearly sorted. Removes links that are no
/// longer the bottleneck of a stream.
void CoupledLevels::sort() {
  is_sorted_ = true;
  std::ranges::sort(begun_);
  for (const LinkIndex link : begun_)
    if (rank_[link] == kNoRank) append(link);
  begun_.clear();
  std::size_t kept = 0;
  for (const LinkIndex link : order_) {
    if (held_[link] == 0) {
      level_[link] = kInfinity;
      rank_[link] = kNoRank;
      if (is_dense_) note_crossed(link);
      if (is_due_[link] != 0) due_empty_.push_back(link);
      continue;
    }
    const double level = level_[link];
    std::size_t at = kept++;
    for (; at > 0 && level_[order_[at - 1]] > level; --at) {
      order_[at] = order_[at - 1];
      rank_[order_[at]] = static_cast<std::uint32_t>(at);
    }
    order_[at] = link;
    rank_[link] = static_cast<std::uint32_t>(at);
  }
  order_.resize(kept);
}

void CoupledLevels::write_rates() const {
  for (const Slot slot : table_.live()) {
    SlotState& state = table_.state[slot];
    if (state.bottleneck != kNoLink) state.rate = level_[state.bottleneck];
  }
}

}  // namespace railyard::sim
