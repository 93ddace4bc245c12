#pragma once

#include <string>
#include <vector>

#include "placement/jobs/candidates.hpp"

namespace railyard::placement {

/// Why the second of the strategies that were found is worse, by the goal or by its step: "the
/// second: 3.1 % more". There must be two.
[[nodiscard]] std::string note_on_second(const Goal& goal, const PlaceProblem& problem,
                                         const std::vector<Verified>& found);

/// Where a simulated step is far from the formula that the search uses, and what that leaves out;
/// "" where it is not. On strategies whose groups tile nodes both agree to 3 %
/// (docs/models/step.md); a fifth is more than contention usually adds.
[[nodiscard]] std::string note_on_formula(const PlaceProblem& problem, const Verified& best);

/// The GPUs of each type, and how many of them a strategy takes.
[[nodiscard]] std::vector<std::string> notes_on_types(const PlaceProblem& problem,
                                                      const Strategy& strategy);

/// Which peak the MFU of a job in fp8 or narrower refers to; "" for others. By that peak it is half
/// of what is often reported for such jobs, which is by the peak of 16 bit.
[[nodiscard]] std::string note_on_peak(const PlaceProblem& problem);

}  // namespace railyard::placement
