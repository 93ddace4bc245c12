#pragma once

#include <span>
#include <vector>

#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Types of GPU of all stages: classes of replicas, without their micro-batches.
struct Pipelines {
  int pp = 1, dp = 1;
  std::vector<PipelineClass> classes{};
  std::vector<std::vector<int>> shares{};  ///< by class: its number of stages on each type
  std::vector<int> used{};                 ///< number of used tensor-context groups of each type
};

/// Pipelines of these classes, with dp, shares and `used` computed.
[[nodiscard]] Pipelines pipelines_of_classes(std::vector<PipelineClass> classes, std::size_t types);

/// Pipelines of up to `most_stages` stages on units[t] tensor-context groups of each type t:
///   - all replicas alike, for every ratio of types. Few stages: every arrangement of the types
///     along the pipeline. Many: every order of types, also with one stage moved to the other end.
///   - replicas of one type beside replicas of another type or of a mixture;
///   - one class per type.
/// Each has as many replicas as the groups allow, so GPUs may be left over. Sorted by GPUs left
/// over, then by number of stages.
[[nodiscard]] std::vector<Pipelines> pipelines_of(std::span<const int> units, int most_stages);

}  // namespace railyard::placement
