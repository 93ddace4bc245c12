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

/// A mapping of a strategy, and how good it is.
struct MappingOption {
  std::string method;  ///< "as ordered", "best axis order", "searched"
  MappingChoice choice;
  double routed_seconds = 0;  ///< busiest links of a step with every flow routed
};

/// Puts the ranks of strategies on a problem's free GPUs, each on one of its type, with the
/// bandwidth that other jobs leave.
class Mapper {
 public:
  /// With `searches` the best mapping is searched; without, ranks follow the problem's order over
  /// the first free GPUs. The problem must outlive it.
  Mapper(const PlaceProblem& problem, bool searches);

  /// The searched mapping where one is searched, then the ranks in order.
  [[nodiscard]] std::vector<Mapping> mappings(const Strategy& strategy) const;

  /// As ordered, by the best order of the axes, and searched (the busiest links are least busy).
  [[nodiscard]] std::vector<MappingOption> options(const Strategy& strategy) const;
  /// The best mapping on these GPUs as if no other job sent anything, without routing its flows.
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
