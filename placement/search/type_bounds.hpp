#pragma once

#include <span>
#include <vector>

#include "placement/cost/cost_context.hpp"
#include "placement/cost/step.hpp"
#include "placement/search/pipelines.hpp"
#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// Layers per second of a tensor and context group of each type.
struct LayerRates {
  std::vector<double> recomputed{};  ///< with the recomputation that the strategy names
  std::vector<double> once{};        ///< without recomputation
};
[[nodiscard]] LayerRates layer_rates(const Model& model, std::span<const Blocks> blocks);

/// A lower bound of the step, in s, on groups[t] groups of each type: all of them compute all the
/// time, without ends, bubbles and messages.
[[nodiscard]] double bound_of_groups(const Job& job, const Strategy& strategy,
                                     std::span<const int> groups, std::span<const double> rates);

/// A lower bound of the step, in s, over these pipelines, for any split of layers and micro-batches
/// that the space allows. A replica does m micro-batches in m B + (S - B) / v: B is its slowest
/// stage, S all layers once on its fastest type, v its chunks. In T it does (T - (S - B) / v) / B,
/// and T is when all replicas together have done all micro-batches. Zero-bubble schedules and
/// DualPipe: without S - B. Even layers and micro-batches: at least m times an even share on the
/// slowest type.
[[nodiscard]] double bound_of_pipelines(const Job& job, const SearchSpace& space,
                                        const Strategy& strategy, const Pipelines& pipelines,
                                        std::span<const double> rates);

/// A bound in s as a time that does not exceed it.
[[nodiscard]] Time time_below(double seconds);

}  // namespace railyard::placement
