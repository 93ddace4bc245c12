#pragma once

#include <limits>
#include <span>
#include <vector>

#include "placement/mapping/evaluate.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"
#include "topology/router.hpp"

namespace railyard::placement {

/// Seconds of a step where every flow takes the way that the fabric's switches would give it: sum
/// over phases of count x max over links of bytes / bandwidth. Slower than Evaluator (every pair is
/// routed), but it knows the collisions of one hash, or what adaptive routing makes of it.
class RoutedScore {
 public:
  /// `tiers`, `phases` and options.left_of_links must outlive it; of `options` that and pxn count.
  RoutedScore(const Tiers& tiers, std::span<const TrafficPhase> phases,
              const topology::RoutingOptions& routing, const EvaluateOptions& options);

  /// Infinite where ranks talk that have no way to each other, and where the time is above `limit`
  /// (within a part in 1e8): phases are routed until that shows. Phases inside nodes are not
  /// routed unless others are on their links: every routing takes the same ways there.
  [[nodiscard]] double operator()(const Mapping& mapping,
                                  double limit = std::numeric_limits<double>::infinity());

 private:
  [[nodiscard]] double phase_seconds(const TrafficPhase& phase, const Mapping& mapping);

  const Tiers* tiers_;
  std::span<const TrafficPhase> phases_;
  topology::Router router_;  ///< forgets from phase to phase
  bool pxn_;
  std::span<const double> left_;  ///< of a link's bandwidth; empty: all
  std::vector<double> loads_;     ///< bytes by link
  std::vector<LinkId> used_;
  Evaluator even_;  ///< traffic spread evenly: no routing is faster, but for headers on the wire
};

}  // namespace railyard::placement
