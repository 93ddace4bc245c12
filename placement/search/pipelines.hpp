#pragma once

#include <span>
#include <vector>

#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Which stages lie on which types: classes without their micro-batches.
struct Pipelines {
  int pp = 1, dp = 1;
  std::vector<PipelineClass> classes{};
  std::vector<std::vector<int>> shares{};  ///< stages of each class on each type
  std::vector<int> used{};                 ///< blocks of each type that take part
};

/// A way with these classes: what follows from them filled in.
[[nodiscard]] Pipelines made_of(std::vector<PipelineClass> classes, std::size_t types);

/// Ways to make pipelines of up to `most_stages` stages out of units[t] blocks (a tensor and
/// context group each) of every type: all replicas alike, in every ratio of types and, where
/// there are few, every arrangement of them along a pipeline, else every order of types, also with
/// one stage at the other end; replicas of one type beside replicas of another or of a mixture; a
/// class of each type. As many replicas as the units allow, so GPUs may be left over: those that
/// leave fewest first, then the shorter pipelines.
[[nodiscard]] std::vector<Pipelines> pipelines_of(std::span<const int> units, int most_stages);

}  // namespace railyard::placement
