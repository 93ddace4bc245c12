#pragma once

#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "placement/jobs/place_problem.hpp"

namespace railyard::apps {

/// Adds range_pct, the 80 % range of iteration_s, to the rows and the summary of strategies where
/// it is requested or the type of a GPU is nominal. Returns a note for each nominal type.
[[nodiscard]] std::vector<std::string> add_step_range(const placement::PlaceProblem& problem,
                                                      bool requested, ResultDocument& document);

}  // namespace railyard::apps
