#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// GOAL text of several ranks (LogGOPSim, ATLAHS), operation by operation. Labels l0, l1, ... count
/// the operations of a rank. Every message has a unique tag between its two ranks.
class GoalText {
 public:
  using Labels = std::vector<std::uint32_t>;

  explicit GoalText(std::size_t ranks) : ranks_(ranks) {}

  /// Adds a calc of `time` in nanoseconds, rounded up, and returns its label. It begins after the
  /// operations `needed` of the rank have ended.
  std::uint32_t calc(std::size_t rank, Time time, std::size_t cpu, const Labels& needed = {});
  struct Ends {
    std::uint32_t send = 0, receive = 0;  ///< labels
  };
  /// Adds the send and the receive of a message. Each begins after the given labels of its rank.
  Ends message(std::size_t from, std::size_t to, Bytes bytes, std::size_t cpu,
               const Labels& send_needed = {}, const Labels& receive_needed = {});
  /// Makes an operation begin after the end (or the begin) of another. Their order in the text does
  /// not matter.
  void require(std::size_t rank, std::uint32_t later, std::uint32_t earlier, bool by_begin);

  /// Adds the transfers of a schedule as in export_goal(): participant i is rank ranks[i].
  /// `begins[i]`: a label of participant i that all its operations require; empty: none. Channel c
  /// is cpu c. Appends the labels of participant i to ends[i], if `ends` is not empty. Throws
  /// InputError beyond 20 million transfers.
  void add_schedule(const Schedule& schedule, std::span<const std::uint32_t> ranks,
                    std::span<const std::uint32_t> begins, std::span<Labels> ends);

  [[nodiscard]] std::string text() const;

 private:
  struct RankText {
    fmt::memory_buffer operations, requirements;
    std::uint32_t count = 0;
  };
  std::uint32_t add(std::size_t rank, std::string_view operation, const Labels& needed);

  std::vector<RankText> ranks_;
  std::unordered_map<std::uint64_t, std::uint32_t> tags_;  ///< looked up only
};

}  // namespace railyard::collectives
