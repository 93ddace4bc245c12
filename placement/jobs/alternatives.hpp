#pragma once

#include <string>
#include <vector>

#include "placement/jobs/mapper.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// A simpler strategy on a cluster of several GPU types, for comparison with the best one.
struct Alternative {
  std::string name{};      ///< "even layers and micro-batches", "A alone"
  std::string strategy{};  ///< text for --fix, on the types that it uses
  SimulatedStrategy run{};
};

/// The fastest strategy on each type alone, and the fastest that treats all types as equal. They
/// are simulated if `engines` are given. Empty for a problem with one type.
[[nodiscard]] std::vector<Alternative> alternatives(const PlaceProblem& problem,
                                                    const SearchSpace& space, const Mapper& mapper,
                                                    const EngineFactory& engines = {});

/// Step time of `run` / step time of `best`: simulated if both were simulated, otherwise by
/// formula.
[[nodiscard]] double times_as_long(const SimulatedStrategy& run, const SimulatedStrategy& best);

}  // namespace railyard::placement
