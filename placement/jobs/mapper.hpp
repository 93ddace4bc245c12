#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/jobs/bandwidth_left.hpp"
#include "placement/jobs/place_problem.hpp"
#include "placement/mapping/optimise.hpp"
#include "placement/mapping/ordered_mapping.hpp"
#include "placement/mapping/step_traffic.hpp"

namespace railyard::placement {

/// A mapping of a strategy, and its score.
struct MappingOption {
  std::string method;  ///< "as ordered", "best dimension order", "searched"
  MappingChoice choice;
  double routed_seconds = 0;  ///< of the busiest links of a step, with every flow routed
};

/// Maps the ranks of strategies to a problem's free GPUs, each to a GPU of its type. Mappings are
/// scored with the bandwidth that other jobs leave.
class Mapper {
 public:
  /// `searches`: whether to search for the best mapping. Otherwise ranks are on the first free GPUs
  /// in the problem's order. The problem must outlive it.
  Mapper(const PlaceProblem& problem, bool searches);

  /// The searched mapping (if it searches), then the ranks in order.
  [[nodiscard]] std::vector<Mapping> mappings(const Strategy& strategy) const;

  /// Three mappings: ranks in order, the best order of the axes, and the searched mapping.
  [[nodiscard]] std::vector<MappingOption> options(const Strategy& strategy) const;
  /// The best mapping on these GPUs by evenly spread traffic (no routing), ignoring other jobs.
  [[nodiscard]] MappingChoice searched(const Strategy& strategy, const GpusByType& free) const;
  /// The busiest trunks of each phase under a mapping.
  [[nodiscard]] std::vector<PhaseLoad> loads(const Strategy& strategy,
                                             const Mapping& mapping) const;
  [[nodiscard]] const Tiers& tiers() const { return tiers_; }
  [[nodiscard]] bool searches() const { return searches_; }

 private:
  struct StrategyTraffic;
  [[nodiscard]] Mapping ordered(const Strategy& strategy) const;
  [[nodiscard]] MappingRequest request(const Strategy& strategy,
                                       const StrategyTraffic& traffic) const;

  const PlaceProblem& problem_;
  bool searches_;
  Tiers tiers_;
  BandwidthLeft left_;
  EvaluateOptions evaluate_;
};

}  // namespace railyard::placement
