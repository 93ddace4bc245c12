#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/mapping/evaluate.hpp"
#include "placement/mapping/layouts.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::placement {

/// What is to be mapped where, by type of GPU.
struct MappingRequest {
  const RankGrid* grid = nullptr;  ///< how the framework numbers the ranks
  std::span<const TrafficPhase> phases{};
  GpusByType free{};              ///< that may be used; at least as many of each type as ranks
  std::vector<int> rank_types{};  ///< type of GPU of each rank; empty: all are on type 0
  EvaluateOptions evaluate{};
  /// Scales the work of the search; 0 takes the best of the axis orders.
  double effort = 1.0;
  std::uint64_t seed = 1;
  /// Set: what is chosen is the best of the finalists by routing their flows this way (judge.hpp).
  std::optional<topology::RoutingOptions> judged_by{};

  /// How many ranks each type has.
  [[nodiscard]] std::vector<std::size_t> ranks_by_type() const;
};

/// A mapping, how good it is, and how it was found.
struct MappingChoice {
  Mapping mapping;
  MappingScore score;
  Layout layout;      ///< order of the axes over the places
  std::string order;  ///< the same as text ("tp8-pp8-dp8"), "as given" for ranks in order on free
  std::size_t exchanges = 0;               ///< places exchanged by local search after that
  std::size_t evaluated = 0;               ///< whole mappings that were scored
  std::optional<double> routed_seconds{};  ///< where it was judged
};

}  // namespace railyard::placement
