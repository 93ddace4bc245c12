#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Operations [first, first + count) of a program occur `times` times in succession. Per
/// repetition, the number in the name of an operation, its tag and its dependencies increase by
/// constant steps (RepeatSteps); everything else is equal.
struct ProgramRepeat {
  std::uint32_t first = 0, count = 0, times = 0;
  friend bool operator==(const ProgramRepeat&, const ProgramRepeat&) = default;
};

/// The increments of an operation per repetition.
struct RepeatSteps {
  std::int64_t name = 0;  ///< increment of the first number in its name
  std::int64_t tag = 0;
  std::vector<std::int64_t> after{};  ///< by dependency
};

/// The repeats of a program, disjoint and in ascending order. They are found greedily: first the
/// repeat that saves the most operations, then repeats in the remaining parts. Each saves at least
/// 4 operations. `names` are Workload::names().
[[nodiscard]] std::vector<ProgramRepeat> repeats_of(const Program& program,
                                                    std::span<const std::string> names);

/// The increments of `operation`, which is in the first repetition of `repeat`.
[[nodiscard]] RepeatSteps steps_of(const Program& program, std::span<const std::string> names,
                                   const ProgramRepeat& repeat, std::uint32_t operation);

/// A name split at its first number: "F 12 (chunk 0)" is "F ", 12, " (chunk 0)".
struct NumberedName {
  std::string_view before{}, behind{};
  std::int64_t number = -1;  ///< -1: no number, a leading 0, or more than 9 digits
};
[[nodiscard]] NumberedName numbered(std::string_view name);

}  // namespace railyard::collectives
