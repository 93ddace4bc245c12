#include "sim/maxmin/level_queue.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace railyard::sim {

namespace {
// With fewer links sorting is cheaper than buckets.
constexpr std::size_t kFewLinks = 32;
// More buckets would not fit into the first-level cache together with the data that filling reads.
constexpr std::size_t kMostBuckets = 1024;

constexpr auto kLower = [](const LinkLevel& a, const LinkLevel& b) {
  return a.level != b.level ? a.level < b.level : a.link < b.link;
};
constexpr auto kHigher = [](const LinkLevel& a, const LinkLevel& b) { return kLower(b, a); };
}  // namespace

/// The bucket of a level. The bits of positive doubles have the order of the numbers. Zero, and
/// levels that rounding has moved below the lowest one, are in the first bucket.
std::size_t LevelQueue::bucket_of(double level) const {
  if (!(level > lowest_)) return 0;
  const auto steps =
      static_cast<std::size_t>((std::bit_cast<std::int64_t>(level) - lowest_bits_) >> shift_);
  return std::min(steps, head_.size() - 1);
}

void LevelQueue::spread(double highest) {
  at_ = 0;
  current_ = 0;
  sorted_.clear();
  late_.clear();
  if (start_.size() <= kFewLinks) {
    head_.assign(1, kEnd);
    lowest_ = std::numeric_limits<double>::infinity();  // all links are in the only bucket
    sorted_.swap(start_);
    sort_open();
    return;
  }
  lowest_ = highest;
  for (const LinkLevel& entry : start_) {
    if (entry.level > 0) lowest_ = std::min(lowest_, entry.level);
    if (std::isfinite(entry.level)) highest = std::max(highest, entry.level);
  }
  lowest_bits_ = std::bit_cast<std::int64_t>(lowest_);
  const auto range =
      static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(highest) - lowest_bits_);
  const std::size_t buckets = std::min(kMostBuckets, std::bit_ceil(start_.size()) / 2);
  shift_ = std::max(
      0, static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(buckets - 1)));
  head_.assign(buckets + 1, kEnd);
  // A list returns the last link first. Links are therefore added in reverse, so that links of
  // equal level come in ascending order.
  for (std::size_t i = start_.size(); i-- > 0;) append(bucket_of(start_[i].level), start_[i].link);
  current_ = static_cast<std::size_t>(-1);  // open() then begins with bucket 0
}

void LevelQueue::sort_open() {
  at_ = 0;
  if (!std::is_sorted(sorted_.begin(), sorted_.end(), kLower))
    std::sort(sorted_.begin(), sorted_.end(), kLower);
}

void LevelQueue::push_late(const LinkLevel& entry) {
  late_.push_back(entry);
  std::push_heap(late_.begin(), late_.end(), kHigher);
}

bool LevelQueue::late_is_first() const {
  return !late_.empty() && (at_ == sorted_.size() || kLower(late_.front(), sorted_[at_]));
}

LinkLevel LevelQueue::take() {
  if (!late_is_first()) return sorted_[at_++];
  std::pop_heap(late_.begin(), late_.end(), kHigher);
  const LinkLevel entry = late_.back();
  late_.pop_back();
  return entry;
}

}  // namespace railyard::sim
