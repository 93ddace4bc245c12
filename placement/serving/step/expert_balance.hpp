#pragma once

#include <span>
#include <vector>

namespace railyard::placement::serving {

/// Load of each expert over the mean, the most popular first: the integral of (1 - skew) u^-skew
/// over its part of 0..1. With E experts that of expert i is E ((i+1)/E)^(1-skew) - E
/// (i/E)^(1-skew).
[[nodiscard]] std::vector<double> expert_popularity(int experts, double skew);

/// Load of the fullest rank over the mean, with `redundant` copies placed as EPLB does
/// (github.com/deepseek-ai/EPLB, global policy): each copy goes to the expert with the most load
/// per copy, then the copies in falling order to the least loaded rank with a free place. Loads 4,
/// 2, 1, 1 on two ranks with two copies: loads per copy 4/3 three times, 2, 1 and 1; the ranks get
/// 2 + 4/3 + 1 and 4/3 + 4/3 + 1, so the fullest has 13/12 of the mean 4.
[[nodiscard]] double balanced_load(std::span<const double> loads, int ranks, int redundant);

/// The same for experts that are placed without regard to their load: mean over random placements.
[[nodiscard]] double unbalanced_load(std::span<const double> loads, int ranks);

}  // namespace railyard::placement::serving
