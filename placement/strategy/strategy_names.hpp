#pragma once

#include <string>
#include <vector>

namespace railyard::placement {

/// Short names of strategies, for comparison.
struct StrategyNames {
  std::string common;  ///< settings that all share: "zero 1, sequence_parallel"
  /// Differing settings of each strategy: "tp8 pp4 dp8, interleave 5".
  std::vector<std::string> names;
};

/// Names from texts of `place` ("tp=8,pp=4,zero=1,sequence_parallel=true"). The degrees of
/// parallelism are always in the name; other settings only if strategies differ in them.
[[nodiscard]] StrategyNames name_strategies(const std::vector<std::string>& strategies);

}  // namespace railyard::placement
