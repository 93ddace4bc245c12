#pragma once

#include <string>
#include <vector>

#include "placement/jobs/mapper.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// A strategy to compare the best of a cluster of several types with.
struct Alternative {
  std::string name{};      ///< "even layers and micro-batches", "A alone"
  std::string strategy{};  ///< for --fix on the types that it uses
  Verified run{};
};

/// The fastest strategy of each type by itself, and of all types as if they were equal; simulated
/// where `engines` are given. Empty for a problem of one type.
[[nodiscard]] std::vector<Alternative> alternatives(const PlaceProblem& problem,
                                                    const SearchSpace& space, const Mapper& mapper,
                                                    const EngineFactory& engines = {});

}  // namespace railyard::placement
