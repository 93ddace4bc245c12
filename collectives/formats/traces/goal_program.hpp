#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::collectives {

enum class GoalType : std::uint8_t { send, receive, compute };

/// One operation of a GOAL program.
struct GoalOperation {
  static constexpr std::uint32_t kAny = 0xffffffff;  ///< any source, any tag
  GoalType type = GoalType::compute;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
  std::uint32_t peer = 0;
  std::uint32_t tag = 0;
  std::uint64_t amount = 0;  ///< bytes; for compute nanoseconds
  std::uint32_t line = 0;    ///< line of the file, for errors
};

/// `later` starts after `earlier` has ended ("requires"), or has started ("irequires").
struct GoalDependency {
  std::uint32_t later = 0, earlier = 0;
  bool after_start = false;
};

struct GoalRank {
  std::vector<GoalOperation> operations;
  std::vector<GoalDependency> dependencies;
};

/// A GOAL program (LogGOPSim, ATLAHS): the operations of each rank.
struct GoalProgram {
  std::vector<GoalRank> ranks;
};

/// Reads GOAL text. Throws InputError with file and line: unknown words, labels that are not
/// defined or defined twice, peers beyond num_ranks, a missing or truncated rank, more than 2^20
/// ranks or 50 million operations.
[[nodiscard]] GoalProgram read_goal(std::string_view text, const std::string& file);

}  // namespace railyard::collectives
