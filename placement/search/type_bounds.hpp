#pragma once

#include <span>
#include <vector>

#include "placement/cost/cost_context.hpp"
#include "placement/cost/step.hpp"
#include "placement/search/pipelines.hpp"
#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// Layers per second of one tensor-context group, by type.
struct LayerRates {
  std::vector<double> recomputed{};  ///< with the strategy's recomputation
  std::vector<double> once{};        ///< without recomputation
};
[[nodiscard]] LayerRates layer_rates(const Model& model, std::span<const BlockCosts> blocks);

/// A lower bound of the step time in s on groups[t] tensor-context groups of each type t: all of
/// them compute all the time, without embedding, head, bubbles and messages.
[[nodiscard]] double bound_of_groups(const Job& job, const Strategy& strategy,
                                     std::span<const int> groups, std::span<const double> rates);

/// A lower bound of the step time in s over these pipelines, for all splits of layers and
/// micro-batches in the space. A replica needs m·B + (S - B)/v for m micro-batches: B is its
/// slowest stage, S all layers once on its fastest type, v its chunks. So it completes (T - (S -
/// B)/v) / B micro-batches in time T, and the bound is the T at which all replicas together
/// complete the batch. Zero-bubble schedules and DualPipe: without (S - B)/v. With even layers or
/// micro-batches also at least an even share on the slowest type.
[[nodiscard]] double bound_of_pipelines(const Job& job, const SearchSpace& space,
                                        const Strategy& strategy, const Pipelines& pipelines,
                                        std::span<const double> rates);

/// A bound in s as a Time, rounded down so that it stays a bound.
[[nodiscard]] Time time_rounded_down(double seconds);

}  // namespace railyard::placement
