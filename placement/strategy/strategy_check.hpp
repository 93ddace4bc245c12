#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Whether a job can be trained with this strategy on `gpus` GPUs, memory aside. Fast enough for
/// searches.
[[nodiscard]] bool is_valid(const Job& job, const Strategy& strategy, int gpus);

/// The reasons why it cannot, each with the nearest valid choice; empty if is_valid(). `where`: the
/// flag or file that errors report ("--fix").
[[nodiscard]] std::vector<Diagnostic> strategy_problems(const Job& job, const Strategy& strategy,
                                                        int gpus, const std::string& where);

/// The divisor of `whole` nearest to `wanted` (the smaller of two).
[[nodiscard]] int nearest_divisor(int whole, int wanted);

}  // namespace railyard::placement
