#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/workload/communications.hpp"
#include "collectives/workload/rank_classes.hpp"
#include "collectives/workload/workload_result.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {

/// The order of a program as a graph. An operation has a successor on its stream, and successors
/// that depend on its end or on its begin.
struct ProgramOrder {
  struct Next {
    std::uint32_t operation = 0;
    bool by_stream = false;
  };
  std::vector<std::uint32_t> waits;  ///< by operation: number of predecessors
  std::vector<std::uint32_t> end_ends, begin_ends;
  std::vector<Next> behind_end, behind_begin;

  explicit ProgramOrder(const Program& program);
  [[nodiscard]] std::span<const Next> after_end(std::uint32_t operation) const {
    return part(behind_end, end_ends, operation);
  }
  [[nodiscard]] std::span<const Next> after_begin(std::uint32_t operation) const {
    return part(behind_begin, begin_ends, operation);
  }

 private:
  static std::span<const Next> part(const std::vector<Next>& all,
                                    const std::vector<std::uint32_t>& ends, std::uint32_t i) {
    const std::uint32_t first = i == 0 ? 0 : ends[i - 1];
    return std::span(all).subspan(first, ends[i] - first);
  }
};

/// A collective or message, with all operations of the ranks that take part in it. Transports of
/// one class share a meeting.
struct Meeting {
  std::uint32_t load = 0;              ///< load of the first transport of the class
  std::uint32_t first = 0, count = 0;  ///< range in Meetings::participants
};

/// All collectives and messages of a workload.
struct Meetings {
  static constexpr std::uint32_t kNone = Communications::kNone;
  std::vector<Meeting> meetings;
  std::vector<OperationId> participants;
  std::vector<std::vector<std::uint32_t>> of;  ///< index of the meeting, by class of ranks and
                                               ///< operation; kNone if it does not communicate

  [[nodiscard]] std::span<const OperationId> who(std::uint32_t meeting) const {
    return std::span(participants).subspan(meetings[meeting].first, meetings[meeting].count);
  }
};

/// Finds for each communicating operation the operations of the other ranks that it meets.
/// Operations whose counterpart is missing or different are added to `problems`, with rank and
/// operation.
[[nodiscard]] Meetings meetings_of(const Communications& communications, const RankClasses& classes,
                                   std::vector<Diagnostic>& problems);

}  // namespace railyard::collectives
