#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/transfer.hpp"

namespace railyard::sim {

/// A gate opens when the last of a set of arrivals into chunks of a participant has happened.
using Gate = std::uint32_t;
inline constexpr Gate kNoGate = ~Gate{0};

/// The newest gate of each chunk of every participant, stored as ranges of chunks with the same
/// gate: a few entries if transfers carry long ranges (recursive halving), one per chunk if they
/// carry one (rings).
class ArrivalTable {
 public:
  explicit ArrivalTable(std::uint32_t participants) : ranges_(participants) {}

  /// Appends the distinct gates of chunks [first, end) of a participant, in chunk order.
  void gates(collectives::Participant participant, std::uint64_t first, std::uint64_t end,
             std::vector<Gate>& out) const;

  /// Records one more arrival into chunks [first, end). Replaces each gate there by
  /// `make(previous)`, which is called once per distinct previous gate (kNoGate if there was none).
  template <class Make>
  void arrive(collectives::Participant participant, std::uint64_t first, std::uint64_t end,
              Make&& make) {
    cut(participant, first, end);
    made_.clear();
    for (auto& range : cut_) {
      if (range.first < first || range.end > end)
        continue;  // the remainder of a range that was cut
      range.gate = replacement(range.gate, make);
    }
    paste(participant);
  }

 private:
  struct Range {
    std::uint64_t first, end;
    Gate gate;
  };
  struct Replacement {
    Gate previous, next;
  };

  /// Moves the ranges that overlap [first, end) to cut_, cut at its ends and with gaps filled.
  void cut(collectives::Participant participant, std::uint64_t first, std::uint64_t end);
  /// Restores cut_, with equal neighbours joined.
  void paste(collectives::Participant participant);

  template <class Make>
  Gate replacement(Gate previous, Make&& make) {
    for (const auto& entry : made_)
      if (entry.previous == previous) return entry.next;
    made_.push_back({previous, make(previous)});
    return made_.back().next;
  }

  std::vector<std::vector<Range>> ranges_;  ///< by participant, ordered, disjoint
  std::vector<Range> cut_;
  std::size_t cut_begin_ = 0, cut_end_ = 0;  ///< where cut_ came from
  std::vector<Replacement> made_;
};

}  // namespace railyard::sim
