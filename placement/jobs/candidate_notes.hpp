#pragma once

#include <string>
#include <vector>

#include "placement/jobs/candidates.hpp"

namespace railyard::placement {

/// How much worse the second strategy is, by the goal or by its step: "the second: 3.1 % more".
/// `found` must contain at least two.
[[nodiscard]] std::string note_on_second(const Goal& goal, const PlaceProblem& problem,
                                         const std::vector<SimulatedStrategy>& found);

/// A note if the simulated step differs by more than a fifth from the formula that the search uses,
/// with the effects that the formula does not contain; otherwise "". For strategies whose groups
/// tile nodes both agree to 3 % (docs/models/step.md); contention rarely adds a fifth.
[[nodiscard]] std::string note_on_formula(const PlaceProblem& problem,
                                          const SimulatedStrategy& best);

/// The number of GPUs of each type, and how many of them a strategy uses.
[[nodiscard]] std::vector<std::string> notes_on_types(const PlaceProblem& problem,
                                                      const Strategy& strategy);

/// The peak to which the MFU of a job in fp8 or narrower formats refers; "" for other jobs. MFU by
/// this peak is half of that by the 16-bit peak, which is often reported for such jobs.
[[nodiscard]] std::string note_on_peak(const PlaceProblem& problem);

}  // namespace railyard::placement
