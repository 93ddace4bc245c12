#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Whether a job can be trained this way on `gpus` GPUs, memory aside. Cheap: for searches.
[[nodiscard]] bool is_valid(const Job& job, const Strategy& strategy, int gpus);

/// Every reason why not, each with the nearest choice that would do; empty where is_valid.
/// `where` is what errors point at ("--fix").
[[nodiscard]] std::vector<Diagnostic> strategy_problems(const Job& job, const Strategy& strategy,
                                                        int gpus, const std::string& where);

/// The divisor of `whole` nearest to `wanted` (the smaller of two).
[[nodiscard]] int nearest_divisor(int whole, int wanted);

}  // namespace railyard::placement
