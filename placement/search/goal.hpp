#pragma once

#include <vector>

#include "placement/model/objective.hpp"
#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// The criterion by which a search ranks strategies.
struct Goal {
  Objective objective = Objective::time;
  double tokens = 0;           ///< training tokens, for totals
  std::vector<Rates> rates{};  ///< by type
  double most_days = 0;        ///< longest training allowed, in days; 0: no limit
};

/// The value that the goal minimises, for a strategy of the job. Throws InputError if it requires a
/// price or power that is unknown.
[[nodiscard]] double value_in(const Goal& goal, const Job& job, const Scored& scored);

/// Sets the goal in a search space: value, bound and longest step. Over several types and with an
/// objective other than time, the search may also use fewer GPUs (gpu_counts). The context must
/// outlive the space.
void aim(SearchSpace& space, const CostContext& context, const Goal& goal);

/// Numbers of GPUs of each type that a search may choose: combinations of all, half, a quarter, ...
/// of each type as long as these are whole nodes, or none. The first uses all.
[[nodiscard]] std::vector<std::vector<int>> gpu_counts(const CostContext& context);

}  // namespace railyard::placement
