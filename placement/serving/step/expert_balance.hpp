#pragma once

#include <span>
#include <vector>

namespace railyard::placement::serving {

/// Load of each expert / mean load, in descending order. Expert i of E has the integral of the
/// popularity (1 - skew) u^-skew over u from i/E to (i+1)/E, times E:
///
///   load(i) = E ((i+1)/E)^(1-skew) - E (i/E)^(1-skew)
///
/// skew 0: all loads are 1.
[[nodiscard]] std::vector<double> expert_popularity(int experts, double skew);

/// Load of the most loaded rank / mean load, with `redundant` copies placed as by EPLB
/// (github.com/deepseek-ai/EPLB, global policy). Each copy is given to the expert with the most
/// load per copy. Then the copies, in descending order of load, go to the least loaded rank with a
/// free place. Example: loads 4, 2, 1, 1 on two ranks with two copies. Loads per copy are 4/3 three
/// times, 2, 1 and 1. The ranks get 2 + 4/3 + 1 and 4/3 + 4/3 + 1, so the result is 13/12.
[[nodiscard]] double balanced_load(std::span<const double> loads, int ranks, int redundant);

/// The same if experts are placed without regard to their load: mean over random placements.
[[nodiscard]] double unbalanced_load(std::span<const double> loads, int ranks);

}  // namespace railyard::placement::serving
