#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// A link and its level: the rate that its unfilled streams can reach.
struct LinkLevel {
  double level = 0;  ///< B/s
  LinkIndex link = 0;
};

/// A monotone priority queue of links by level, for WaterFilling. Levels only increase.
///
/// Stored levels are lower bounds. A link is re-evaluated only when it is first in the queue; if
/// its level has risen above the next one, it is reinserted. Links are in buckets by the leading
/// bits of their level (equal steps of the bits of a double are nearly equal ratios), as lists in
/// one array. A bucket is sorted when it is reached (a two-level radix heap, after Ahuja, Mehlhorn,
/// Orlin, Tarjan, *Faster algorithms for the shortest path problem*, J. ACM 1990). Reinserting a
/// link takes constant time. Equal levels are ordered by link number.
class LevelQueue {
 public:
  /// For links numbered below `links`.
  explicit LevelQueue(std::size_t links) : next_(links) {}
  void grow(std::size_t links) { next_.resize(links); }

  /// Starts with these links at their current levels; few levels will exceed `highest`.
  /// `level_of(link)` is the current level, negative for a link without unfilled streams.
  template <typename LevelOf>
  void begin(std::span<const LinkIndex> links, double highest, LevelOf&& level_of) {
    start_.clear();
    for (const LinkIndex link : links) {
      const double level = level_of(link);
      if (!(level < 0)) start_.push_back({level, link});
    }
    spread(highest);
  }

  /// Removes the link with the lowest level. False if the queue is empty.
  template <typename LevelOf>
  bool next(LevelOf&& level_of, LinkLevel& out) {
    while (true) {
      if (!has_open() && !open(level_of)) return false;
      const LinkLevel entry = take();
      const double level = level_of(entry.link);
      if (level < 0) continue;
      if (level > entry.level && is_behind(level)) {
        put(level, entry.link);
        continue;
      }
      out = {level, entry.link};
      return true;
    }
  }

 private:
  static constexpr LinkIndex kEnd = ~LinkIndex{0};

  [[nodiscard]] std::size_t bucket_of(double level) const;
  void spread(double highest);
  void append(std::size_t bucket, LinkIndex link) {
    next_[link] = head_[bucket];
    head_[bucket] = link;
  }
  void put(double level, LinkIndex link) {
    const std::size_t bucket = bucket_of(level);
    if (bucket > current_) {
      append(bucket, link);
    } else {
      push_late({level, link});
    }
  }
  /// Sorts the next bucket that holds a link whose level has not risen out of it.
  template <typename LevelOf>
  bool open(LevelOf&& level_of) {
    while (++current_ < head_.size()) {
      sorted_.clear();
      for (LinkIndex link = head_[current_]; link != kEnd;) {
        const LinkIndex following = next_[link];
        const double level = level_of(link);
        if (!(level < 0)) {
          const std::size_t bucket = bucket_of(level);
          if (bucket > current_) {
            append(bucket, link);
          } else {
            sorted_.push_back({level, link});
          }
        }
        link = following;
      }
      if (!sorted_.empty()) {
        sort_open();
        return true;
      }
    }
    --current_;
    return false;
  }
  void sort_open();
  void push_late(const LinkLevel& entry);
  [[nodiscard]] bool has_open() const { return at_ < sorted_.size() || !late_.empty(); }
  [[nodiscard]] bool is_behind(double level) const {
    return bucket_of(level) > current_ || (has_open() && level > first().level);
  }
  [[nodiscard]] bool late_is_first() const;
  [[nodiscard]] const LinkLevel& first() const {
    return late_is_first() ? late_.front() : sorted_[at_];
  }
  LinkLevel take();

  std::vector<LinkLevel> start_;
  std::vector<LinkIndex> next_;  ///< by link: the next in its bucket's list
  std::vector<LinkIndex> head_;  ///< by bucket
  std::size_t current_ = 0;      ///< the bucket that is open
  std::vector<LinkLevel> sorted_;
  std::size_t at_ = 0;           ///< index in sorted_; earlier entries were removed
  std::vector<LinkLevel> late_;  ///< added to the open bucket since it was sorted; a heap
  std::int64_t lowest_bits_ = 0;
  double lowest_ = 0;
  int shift_ = 0;
};

}  // namespace railyard::sim
