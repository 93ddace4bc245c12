#pragma once

#include <vector>

#include "placement/model/objective.hpp"
#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// What a strategy is chosen by.
struct Goal {
  Objective objective = Objective::time;
  double tokens = 0;           ///< to train on
  std::vector<Rates> rates{};  ///< by type
  double most_days = 0;        ///< 0: any
};

/// What the goal makes smallest, for a strategy of the job. Throws InputError where the rates that
/// it needs are not known.
[[nodiscard]] double value_in(const Goal& goal, const Job& job, const Scored& scored);

/// Makes a search look for the goal: value, bound and longest step. Over several types with an
/// objective other than time any of gpu_counts may be taken. The context must outlive the space.
void aim(SearchSpace& space, const CostContext& context, const Goal& goal);

/// Numbers of GPUs of each type to choose from: of each all, a half, a quarter, ... as long as it
/// is whole nodes, or none; all first.
[[nodiscard]] std::vector<std::vector<int>> gpu_counts(const CostContext& context);

}  // namespace railyard::placement
