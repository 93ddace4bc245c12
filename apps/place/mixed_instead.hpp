#pragma once

#include <vector>

#include "apps/place/mixed_candidates.hpp"
#include "apps/place/mixed_sections.hpp"

namespace railyard::apps {

/// Other ways to run a job, for the table and as they are.
struct OtherWays {
  std::vector<Instead> ways{};                  ///< the best in front
  std::vector<placement::Scored> strategies{};  ///< without it
};

/// The fastest of each type by itself, and of all as if they were equal: as formulas have it, and
/// where the best was simulated, simulated too.
[[nodiscard]] OtherWays other_ways(const PlaceRequest& request,
                                   const placement::PlaceProblem& problem,
                                   const MixedMappings& mappings, const placement::Verified& best);

}  // namespace railyard::apps
