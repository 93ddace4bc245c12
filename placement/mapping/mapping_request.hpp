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

/// A mapping problem: the ranks, their traffic, and the free GPUs by type.
struct MappingRequest {
  const RankGrid* grid = nullptr;  ///< how the framework numbers the ranks
  std::span<const TrafficPhase> phases{};
  GpusByType free{};              ///< usable GPUs; at least as many of each type as ranks
  std::vector<int> rank_types{};  ///< type of GPU of each rank; empty: type 0 for all
  EvaluateOptions evaluate{};
  /// Scales the work of the search; 0: only the axis orders.
  double effort = 1.0;
  std::uint64_t seed = 1;
  /// If set, the flows of the finalists are routed this way, and the best of them is chosen
  /// (routed_choice.hpp).
  std::optional<topology::RoutingOptions> judged_by{};

  /// Number of ranks of each type.
  [[nodiscard]] std::vector<std::size_t> ranks_by_type() const;
};

/// A mapping, its score, and how it was found.
struct MappingChoice {
  Mapping mapping;
  MappingScore score;
  Layout layout;  ///< order of the axes over the blocks
  std::string
      order;  ///< the same as text ("tp8-pp8-dp8"); "as given" for ranks in the order of `free`
  std::size_t exchanges = 0;               ///< exchanges by local search afterwards
  std::size_t evaluated = 0;               ///< number of scored mappings
  std::optional<double> routed_seconds{};  ///< set if its flows were routed
};

}  // namespace railyard::placement
