#pragma once

#include <span>
#include <vector>

#include "placement/mixed/mixed_search.hpp"
#include "placement/model/objective.hpp"

namespace railyard::placement {

/// What a mixed strategy is chosen by.
struct MixedGoal {
  Objective objective = Objective::time;
  double tokens = 0;           ///< to train on
  std::vector<Rates> rates{};  ///< by type
  double most_days = 0;        ///< 0: any
};

/// outlook() over several types: cost and power are sums over the GPUs of each type that take part
/// at that type's price and power, u of a type the share of the step in which its slowest stage
/// computes or updates. cost where all of their prices are known, power likewise.
[[nodiscard]] Outlook mixed_outlook(const MixedContext& context, const MixedScored& scored,
                                    const MixedGoal& goal);

/// value_of() for it.
[[nodiscard]] double mixed_value(const MixedScored& scored, const Outlook& outlook,
                                 Objective objective);

/// Makes a search look for the goal: value, bound and longest step. With an objective other than
/// time any of gpu_counts may be taken. The context must outlive the space.
void aim(MixedSpace& space, const MixedContext& context, const MixedGoal& goal);

/// Numbers of GPUs of each type to choose from: of each all, a half, a quarter, ... as long as it
/// is whole nodes, or none; all first.
[[nodiscard]] std::vector<std::vector<int>> gpu_counts(std::span<const GpuType> types);

}  // namespace railyard::placement
