#pragma once

#include <string>
#include <vector>

#include "placement/jobs/mapper.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// A simpler strategy on a cluster of several types, to compare the best one with.
struct Alternative {
  std::string name{};      ///< "even layers and micro-batches", "A alone"
  std::string strategy{};  ///< for --fix on the types that it uses
  Verified run{};
};

/// The fastest strategy on each type alone, and the fastest that treats all types as equal. They
/// are simulated if `engines` are given. Empty for a problem with one type.
[[nodiscard]] std::vector<Alternative> alternatives(const PlaceProblem& problem,
                                                    const SearchSpace& space, const Mapper& mapper,
                                                    const EngineFactory& engines = {});

/// The step of `run` over that of `best`: simulated where both were, else by formula.
[[nodiscard]] double times_as_long(const Verified& run, const Verified& best);

}  // namespace railyard::placement
