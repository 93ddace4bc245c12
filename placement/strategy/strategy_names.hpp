#pragma once

#include <string>
#include <vector>

namespace railyard::placement {

/// Strategies for reading side by side.
struct StrategyNames {
  std::string common;              ///< settings that all share: "zero 1, sequence_parallel"
  std::vector<std::string> names;  ///< of each: "tp8 pp4 dp8, interleave 5", what differs only
};

/// From texts as `place` writes them ("tp=8,pp=4,zero=1,sequence_parallel=true"). The degrees of
/// parallelism are always in the name; every other setting is in it where two strategies differ.
[[nodiscard]] StrategyNames name_strategies(const std::vector<std::string>& strategies);

}  // namespace railyard::placement
