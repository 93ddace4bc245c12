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
/// the operations of a rank. Every message has a tag of its own between its two ranks.
class GoalText {
 public:
  using Labels = std::vector<std::uint32_t>;

  explicit GoalText(std::size_t ranks) : ranks_(ranks) {}

  /// An operation of so many nanoseconds, rounded up; its label. `needed`: labels of the rank that
  /// end before it begins.
  std::uint32_t calc(std::size_t rank, Time time, std::size_t cpu, const Labels& needed = {});
  struct Ends {
    std::uint32_t send = 0, receive = 0;  ///< labels
  };
  /// Both ends of a message, which begin behind labels of their ranks.
  Ends message(std::size_t from, std::size_t to, Bytes bytes, std::size_t cpu,
               const Labels& send_needed = {}, const Labels& receive_needed = {});
  /// One operation begins behind the end, or the begin, of another, whichever was written first.
  void require(std::size_t rank, std::uint32_t later, std::uint32_t earlier, bool by_begin);

  /// The transfers of a schedule: participant i is rank ranks[i]. Every send requires all earlier
  /// receives of its channel into its chunks (the replay rule), a relayed transfer is two messages,
  /// transfers of no bytes are left out, the time to reduce is not in it. `begins[i]`: a label of
  /// participant i that all its operations require; empty: none. Channel c is cpu c. Adds the
  /// operations of participant i to ends[i], if there are any. Throws InputError beyond 20 million
  /// transfers.
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
