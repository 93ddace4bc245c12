#pragma once

#include <span>
#include <vector>

#include "placement/mapping/mapping.hpp"
#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"
#include "topology/routing.hpp"

namespace railyard::placement {

/// Seconds of a step where every flow takes the way that the fabric's switches would give it: sum
/// over phases of count x max over links of bytes / bandwidth. Slower than Evaluator (every pair is
/// routed), but it knows the collisions of one hash, or what adaptive routing makes of it.
class RoutedScore {
 public:
  /// `tiers` and `phases` must outlive it. With `pxn` bytes leave on the rail of their destination.
  RoutedScore(const Tiers& tiers, std::span<const TrafficPhase> phases,
              const topology::RoutingOptions& routing, bool pxn);

  /// Infinite where ranks talk that have no way to each other.
  [[nodiscard]] double operator()(const Mapping& mapping);

 private:
  [[nodiscard]] double phase_seconds(const TrafficPhase& phase, const Mapping& mapping);

  const Tiers* tiers_;
  std::span<const TrafficPhase> phases_;
  topology::RoutingOptions routing_;
  bool pxn_;
  std::vector<double> loads_;  ///< bytes by link
  std::vector<LinkId> used_;
};

}  // namespace railyard::placement
