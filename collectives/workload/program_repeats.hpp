#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Operations [first, first + count) of a program stand `times` times one after another. From one
/// repetition to the next the number in the name of an operation, its tag and the operations that
/// it waits for go up by constant steps (RepeatSteps); all else is equal.
struct ProgramRepeat {
  std::uint32_t first = 0, count = 0, times = 0;
  friend bool operator==(const ProgramRepeat&, const ProgramRepeat&) = default;
};

/// By how much an operation of a repeat changes from one repetition to the next.
struct RepeatSteps {
  std::int64_t name = 0;  ///< of the first number in its name
  std::int64_t tag = 0;
  std::vector<std::int64_t> after{};  ///< by dependency
};

/// The repeats of a program, in rising order and disjoint: those that stand for the most
/// operations first, then those in the rest. Each leaves out at least 4 operations. `names`:
/// Workload::names().
[[nodiscard]] std::vector<ProgramRepeat> repeats_of(const Program& program,
                                                    std::span<const std::string> names);

/// The steps of operation `operation` of the first repetition of `repeat`.
[[nodiscard]] RepeatSteps steps_of(const Program& program, std::span<const std::string> names,
                                   const ProgramRepeat& repeat, std::uint32_t operation);

/// A name cut at its first number: "F 12 (chunk 0)" is "F ", 12, " (chunk 0)".
struct NumberedName {
  std::string_view before{}, behind{};
  std::int64_t number = -1;  ///< -1: without one (none, with a leading 0, or of over 9 digits)
};
[[nodiscard]] NumberedName numbered(std::string_view name);

}  // namespace railyard::collectives
